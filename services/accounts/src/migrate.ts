import { runMigrations } from '@parley/postgres'

await runMigrations('accounts', new URL('../drizzle', import.meta.url))
