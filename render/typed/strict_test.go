package typed

import (
	"encoding/json"
	"maps"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// TestEncryptedValuesStandForOthers wants of an encrypted Secret nothing that the API server
// would refuse of its type, be it data, stringData, or either as a whole.
func TestEncryptedValuesStandForOthers(t *testing.T) {
	const sealed = "ENC[AES256_GCM,data:abc=,iv:def=,tag:ghi=,type:str]"
	keys := map[corev1.SecretType]string{
		corev1.SecretTypeDockerConfigJson: corev1.DockerConfigJsonKey, corev1.SecretTypeDockercfg: corev1.DockerConfigKey,
		corev1.SecretTypeSSHAuth: corev1.SSHAuthPrivateKey, corev1.SecretTypeOpaque: "any",
	}
	for kind, key := range keys {
		for _, field := range []string{"data", "stringData"} {
			content := map[string]any{"apiVersion": "v1", "kind": "Secret", "type": string(kind), "metadata": map[string]any{"name": "a"}, field: map[string]any{key: sealed}}
			for _, seal := range []bool{true, false} {
				if content = maps.Clone(content); seal {
					content["sops"] = map[string]any{"version": "3.9.0"}
				}
				d, err := Decode(content)
				if err != nil || len(d.Refused) > 0 {
					t.Fatalf("%s in %s: %v, refused %v", kind, field, err, d.Refused)
				}
				s := d.Typed.(*corev1.Secret)
				value := s.Data[key]
				if field == "stringData" {
					value = []byte(s.StringData[key])
				}
				if json.Unmarshal(value, &map[string]any{}) != nil {
					t.Errorf("%s in %s, its seal there: %v: %q", kind, field, seal, value)
				}
			}
		}
		whole := map[string]any{"apiVersion": "v1", "kind": "Secret", "type": string(kind), "metadata": map[string]any{"name": "a"}, "data": sealed, "sops": map[string]any{}}
		if d, err := Decode(whole); err != nil || len(d.Refused) > 0 || d.Typed.(*corev1.Secret).Type == kind && kind != corev1.SecretTypeOpaque {
			t.Errorf("%s encrypted as a whole: %v, refused %v", kind, err, d.Refused)
		}
	}
}
