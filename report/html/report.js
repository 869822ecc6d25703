"use strict";
(function () {
  var runs = JSON.parse(document.getElementById("runs").textContent) || [];
  var glyph = { pending: "?", starting: "…", ready: "", terminating: "x" };

  function make(tag, cls, text) {
    var e = document.createElement(tag);
    if (cls) e.className = cls;
    if (text !== undefined) e.textContent = text;
    return e;
  }
  function phase(p) { return Object.prototype.hasOwnProperty.call(glyph, p) ? p : "pending"; }

  // explorer shows one interleaving: a stage, a list of steps, a place in it.
  function explorer(root) {
    var run = runs[+root.dataset.run], steps = Array.prototype.slice.call(root.querySelectorAll(".step"));
    if (!run || !steps.length) return null;
    var stage = root.querySelector(".picture"), caption = root.querySelector(".caption"), range = root.querySelector("input"), out = root.querySelector("output");
    var play = root.querySelector('[data-do="play"]'), loopAt = steps.findIndex(function (s) { return "loops" in s.dataset; });
    var rows = Array.prototype.slice.call(root.querySelectorAll(".lanes .row"));
    var now = 0, rounds = 0, timer = 0, workloads = [], has = {};
    run.forEach(function (s) { // the phases that the run has at all
      if (s) [s].concat(s.nodes).forEach(function (n) {
        (n.pods || n.pending || []).forEach(function (p) { has[phase(p.p)] = true; if (p.r === "old") has.old = true; if (p.f) has.failing = true; });
      });
    });

    function hue(w) {
      var i = workloads.indexOf(w);
      if (i < 0) i = workloads.push(w) - 1;
      return "w" + Math.min(i, 5);
    }
    function key(pods) { return JSON.stringify(pods || []); }
    function chips(pods) {
      var box = make("div", "pods");
      (pods || []).forEach(function (p) {
        var shown = p.n > 24 ? 1 : p.n;
        for (var i = 0; i < shown; i++) {
          var c = make("div", "pod " + phase(p.p) + " " + hue(p.w) + (p.r === "old" ? " old" : "") + (p.f ? " failing" : ""), p.n > 24 ? "×" + p.n : glyph[phase(p.p)]);
          c.title = p.w + (p.r ? ", " + p.r + " revision" : "") + ": " + p.p + (p.f ? ", never ready" : "");
          box.appendChild(c);
        }
      });
      return box;
    }
    function summary(pods) {
      return (pods || []).map(function (p) { return p.n + " " + p.p + (p.r ? " " + p.r : "") + (p.f ? " (never ready)" : "") + " of " + p.w; }).join(", ") || "no pods";
    }
    function draw() {
      var s = run[now], before = now > 0 ? run[now - 1] : null;
      stage.textContent = "";
      if (!s || !s.nodes) {
        stage.appendChild(make("p", "dim", "The result has no picture of this step."));
        return;
      }
      var was = {};
      if (before && before.nodes) {
        before.nodes.forEach(function (n) { was["n" + n.n] = key(n.pods) + (n.s || ""); });
        (before.workloads || []).forEach(function (w) { was["w" + w.w] = JSON.stringify(w); });
        was.tray = key(before.pending);
      }
      var meters = make("div", "meters");
      (s.workloads || []).forEach(function (w) {
        var m = make("span", hue(w.w));
        if (before && was["w" + w.w] !== JSON.stringify(w)) m.className += " moved";
        m.appendChild(make("b", "", w.w));
        var more = (w.load ? ", load " + w.load : "") + (w.hpa ? ", autoscaler wants " + w.hpa.d + " (" + w.hpa.a + " to " + w.hpa.b + ")" : "") +
          (w.sets && w.sets.join() !== String(w.replicas) ? ", ReplicaSets of " + w.sets.join(" and ") : "") + (w.waits ? ", " + w.waits + " waiting for a volume" : "");
        m.appendChild(document.createTextNode(" replicas " + w.replicas + ", ready " + w.ready + more));
        meters.appendChild(m);
      });
      (s.facts || []).forEach(function (f) {
        meters.appendChild(make("span", "fact" + (before && (before.facts || []).indexOf(f) < 0 ? " moved" : ""), f));
      });
      stage.appendChild(meters);
      if (s.note) stage.appendChild(make("p", "says moved", s.note));
      var zones = make("div", "zones"), byZone = {};
      s.nodes.forEach(function (n) {
        var z = n.z || "";
        if (!Object.prototype.hasOwnProperty.call(byZone, "z" + z)) {
          var box = make("div", "zone");
          box.appendChild(make("b", "", z ? "zone " + z : "nodes"));
          byZone["z" + z] = make("div", "nodes");
          box.appendChild(byZone["z" + z]);
          zones.appendChild(box);
        }
        var e = make("div", "node" + (n.s ? " shut" : "") + (before && was["n" + n.n] !== key(n.pods) + (n.s || "") ? " moved" : ""));
        e.setAttribute("aria-label", "node " + n.n + ": " + summary(n.pods));
        e.setAttribute("role", "img");
        e.appendChild(make("span", "", n.n + (n.s ? ": " + n.s : "")));
        if (n.c) e.title = "class " + n.c;
        (n.t || []).forEach(function (t) { e.appendChild(make("small", "taint", "taint " + t)); });
        e.appendChild(chips(n.pods));
        byZone["z" + z].appendChild(e);
      });
      stage.appendChild(zones);
      var waiting = (s.pending || []).length > 0;
      var tray = make("div", "tray" + (waiting ? " waiting" : "") + (before && was.tray !== key(s.pending) ? " moved" : ""));
      tray.setAttribute("role", "img");
      tray.setAttribute("aria-label", "without a node: " + summary(s.pending));
      tray.appendChild(make("span", "", waiting ? "without a node" : "no pod is without a node"));
      tray.appendChild(chips(s.pending));
      if (has.pending) stage.appendChild(tray);
      stage.appendChild(legend());
    }
    function legend() {
      var l = make("div", "legend");
      ["ready", "starting", "pending", "terminating"].filter(function (p) { return has[p]; }).forEach(function (p) {
        var s = make("span");
        s.appendChild(make("i", "pod w5 " + p, glyph[p]));
        s.appendChild(document.createTextNode(p));
        l.appendChild(s);
      });
      [["old", "round: old revision"], ["failing", "red rim: a revision that never becomes ready"]].forEach(function (m) {
        if (!has[m[0]]) return;
        var s = make("span");
        s.appendChild(make("i", "pod w5 " + m[0], ""));
        s.appendChild(document.createTextNode(m[1]));
        l.appendChild(s);
      });
      return l;
    }
    function show(i) {
      now = Math.max(0, Math.min(steps.length - 1, i));
      steps.forEach(function (s, k) {
        s.classList.toggle("now", k === now);
        if (k === now) s.setAttribute("aria-current", "step"); else s.removeAttribute("aria-current");
      });
      rows.forEach(function (r, k) { r.classList.toggle("now", k === now); });
      var list = steps[now].parentNode, top = steps[now].offsetTop - list.offsetTop;
      if (top < list.scrollTop || top + steps[now].offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top - 20;
      range.value = String(now);
      out.textContent = "step " + steps[now].value + " of " + steps[steps.length - 1].value + (rounds ? ", round " + (rounds + 1) + " of the loop" : "");
      var loop = loopAt >= 0 && now >= loopAt ? "In the loop. " : "", turn = steps[now].classList.contains("turn") ? "This step decides. " : "", text = steps[now].cloneNode(true), why = [];
      Array.prototype.slice.call(text.querySelectorAll(":scope > .here, :scope > .tag")).forEach(function (h) { h.remove(); });
      Array.prototype.slice.call(text.querySelectorAll(".because")).forEach(function (b) {
        var at = b.firstElementChild.textContent;
        if (why.indexOf(at) < 0) why.push(at);
        b.remove();
      });
      caption.textContent = loop + turn + text.textContent.replace(/\s+/g, " ").trim() + (why.length ? ". See " + why.join(", ") : "") + ".";
      caption.classList.toggle("looping", loop !== "");
      draw();
    }
    function next() {
      if (now < steps.length - 1) return show(now + 1);
      if (loopAt >= 0) { rounds++; return show(loopAt); }
      stop();
    }
    function back() {
      if (rounds && now === loopAt) { rounds--; return show(steps.length - 1); }
      show(now - 1);
    }
    function stop() { clearInterval(timer); timer = 0; play.textContent = "Play"; play.setAttribute("aria-pressed", "false"); }
    function toggle() {
      if (timer) return stop();
      if (now === steps.length - 1 && loopAt < 0) show(0);
      play.textContent = "Stop";
      play.setAttribute("aria-pressed", "true");
      timer = setInterval(next, 1200);
    }
    var acts = {
      first: function () { rounds = 0; show(0); }, last: function () { show(steps.length - 1); },
      next: next, back: back, play: toggle
    };
    root.querySelector(".controls").addEventListener("click", function (e) {
      var b = e.target.closest("button");
      if (!b) return;
      if (b.dataset.do !== "play") stop();
      acts[b.dataset.do]();
    });
    range.addEventListener("input", function () { stop(); rounds = 0; show(+range.value); });
    steps.forEach(function (s, k) {
      s.addEventListener("click", function (e) { if (!e.target.closest("a")) { stop(); rounds = 0; show(k); } });
    });
    root.querySelector(".controls").hidden = steps.length < 2;
    caption.hidden = steps.length < 2; // the one step stands beside its picture
    stage.parentNode.hidden = false;
    root.classList.add("live");
    rows.forEach(function (r, k) {
      r.addEventListener("click", function (e) { e.preventDefault(); stop(); rounds = 0; show(k); });
    });
    show(Math.min(+root.dataset.turn || 0, steps.length - 1));
    return { root: root, acts: acts, stop: stop, go: function (step) { stop(); rounds = 0; show(steps.indexOf(step)); } };
  }

  // An explorer is made when it comes near the window, so that a page of many findings is
  // there at once.
  var list = function (s, e) { return Array.prototype.slice.call((e || document).querySelectorAll(s)); };
  var all = [];
  function wake(root) {
    var known = all.find(function (x) { return x.root === root; });
    if (known) return known;
    var x = explorer(root);
    if (x) all.push(x);
    return x;
  }
  var near = new IntersectionObserver(function (es) {
    es.forEach(function (e) { if (e.isIntersecting) { near.unobserve(e.target); wake(e.target); } });
  }, { rootMargin: "600px" });
  list(".explorer").forEach(function (e) { near.observe(e); });

  // A link leads to a finding or to a step of one, also where it is folded.
  function follow() {
    var at = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!at) return;
    for (var e = at; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
    if (at.classList.contains("folded")) at.querySelector("details").open = true;
    var root = at.classList.contains("step") && at.closest(".explorer"), x = root && wake(root);
    if (x) x.go(at);
    (x ? x.root : at).scrollIntoView({ block: "start" });
  }
  window.addEventListener("hashchange", follow);
  follow();

  // j and k go from finding to finding.
  function step(by) {
    var heads = list(".finding h3").filter(function (h) { var p = h.closest(".parts"); return !p || p.open; }), at = heads.findIndex(function (h) { return h.closest(".finding") === (document.activeElement && document.activeElement.closest(".finding")); });
    if (at < 0) at = by > 0 ? -1 : 0;
    var h = heads[Math.max(0, Math.min(heads.length - 1, at + by))];
    if (!h) return;
    h.closest(".finding").scrollIntoView({ block: "start" });
    h.focus({ preventScroll: true });
  }

  // Paper has all of it: what is folded is opened, and folded again.
  var folded = [];
  window.addEventListener("beforeprint", function () {
    folded = list("details:not(.help)").filter(function (d) { return !d.open; });
    folded.forEach(function (d) { d.open = true; });
  });
  window.addEventListener("afterprint", function () {
    folded.forEach(function (d) { d.open = false; });
    folded = [];
  });
  list(".keys").forEach(function (k) { k.hidden = !document.querySelector(".explorer"); });

  function chosen() {
    var here = document.activeElement && document.activeElement.closest(".explorer");
    if (!here && document.activeElement && document.activeElement.closest(".finding")) here = document.activeElement.closest(".finding").querySelector(".explorer");
    return here && wake(here) || all.find(function (x) {
      var r = x.root.getBoundingClientRect();
      return r.height > 0 && r.bottom > 60 && r.top < window.innerHeight - 60;
    });
  }
  document.addEventListener("keydown", function (e) {
    if (e.altKey || e.ctrlKey || e.metaKey || e.shiftKey || e.target.tagName === "INPUT") return;
    if (e.key === "j" || e.key === "k") return step(e.key === "j" ? 1 : -1);
    var act = { ArrowRight: "next", ArrowLeft: "back" }[e.key], x;
    var inside = document.activeElement && document.activeElement.classList.contains("explorer");
    if (inside) act = act || { Home: "first", End: "last", " ": "play" }[e.key];
    if (!act || !(x = chosen())) return;
    e.preventDefault();
    if (act !== "play") x.stop();
    x.acts[act]();
  });
})();
