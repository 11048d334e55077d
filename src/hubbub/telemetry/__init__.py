"""Traces with OpenTelemetry: nothing else knows of it, and nothing is loaded unless they are on."""
