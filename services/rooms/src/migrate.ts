import { runMigrations } from '@parley/postgres'

await runMigrations('rooms', new URL('../drizzle', import.meta.url))
