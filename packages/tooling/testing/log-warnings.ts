// Imported before anything that logs: the warnings of this test file are written, and sent where telemetry is.
process.env['PARLEY_GENERAL_LOG_LEVEL'] = 'warn'
