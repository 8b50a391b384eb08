"""Executes the code of Markdown chapters and keeps their numbers true."""
