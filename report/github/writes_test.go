package github

// Writes is how often the client has written.
func (c *Client) Writes() int {
	c.pace.mu.Lock()
	defer c.pace.mu.Unlock()
	return c.pace.writes
}
