"""Alerts: rules that look at what happens, the incidents they see, and the notices that go out about them."""
