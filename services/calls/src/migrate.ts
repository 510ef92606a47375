import { runMigrations } from '@parley/postgres'

await runMigrations('calls', new URL('../drizzle', import.meta.url))
