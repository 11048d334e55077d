"""The AsyncAPI document of the realtime protocol and its page, made of what the code declares."""
