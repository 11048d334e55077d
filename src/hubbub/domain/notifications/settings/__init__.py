"""What apps and users choose: settings, preferences, mutes, devices and contact details."""
