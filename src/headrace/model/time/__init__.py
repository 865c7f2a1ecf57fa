"""Time: cron rules, zones, schedules and previews of them."""
