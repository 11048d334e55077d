"""Who is mentioned in messages: `<@uid:UID>` somebody, `<@all>` everybody in a group."""
