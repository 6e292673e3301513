"""HTTP routes, one module per subject: body → contract message → call → JSON."""
