"""CronJobs: a Job each time that one is due."""
