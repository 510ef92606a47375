import { fileURLToPath } from 'node:url'
import { databaseFields, defineConfig } from '@parley/config'
import { runMigrations } from '@parley/postgres'

const { databaseUrl } = defineConfig(databaseFields('messaging'))()
await runMigrations('messaging', { url: databaseUrl, folder: fileURLToPath(new URL('../drizzle', import.meta.url)) })
