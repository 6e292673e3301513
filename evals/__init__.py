"""Runs over data that others wrote: documents and questions, named by folder, never copied into the project."""
