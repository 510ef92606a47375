import { runMigrations } from '@parley/postgres'

await runMigrations('admin', new URL('../drizzle', import.meta.url))
