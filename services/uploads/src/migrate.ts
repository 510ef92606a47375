import { runMigrations } from '@parley/postgres'

await runMigrations('uploads', new URL('../drizzle', import.meta.url))
