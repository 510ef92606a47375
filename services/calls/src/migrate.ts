import { fileURLToPath } from 'node:url'
import { databaseFields, defineConfig } from '@parley/config'
import { runMigrations } from '@parley/postgres'

const { databaseUrl } = defineConfig(databaseFields('calls'))()
await runMigrations('calls', { url: databaseUrl, folder: fileURLToPath(new URL('../drizzle', import.meta.url)) })
