import { randomUUID } from 'node:crypto'

/** The URL of a database that does not exist yet, on the server of this run. */
export function newDatabaseUrl(): string {
  const url = new URL(process.env.PARLEY_TEST_POSTGRES_URL ?? '')
  url.pathname = `/postgres_${randomUUID().replaceAll('-', '')}`
  return url.href
}
