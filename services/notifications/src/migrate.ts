import { runMigrations } from '@parley/postgres'

await runMigrations('notifications', new URL('../drizzle', import.meta.url))
