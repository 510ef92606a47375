import { runMigrations } from '@parley/postgres'

await runMigrations('messaging', new URL('../drizzle', import.meta.url))
