import '@parley/telemetry/register'
import { fileURLToPath } from 'node:url'
import { runMigrations } from '@parley/postgres'
import { readConfig } from './config.ts'

await runMigrations('messaging', {
  url: readConfig().databaseUrl,
  folder: fileURLToPath(new URL('../drizzle', import.meta.url)),
})
