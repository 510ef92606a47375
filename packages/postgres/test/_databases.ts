import { randomUUID } from 'node:crypto'

export function newDatabaseUrl(): string {
  const url = new URL(process.env.PARLEY_TEST_POSTGRES_URL ?? '')
  url.pathname = `/postgres_${randomUUID().replaceAll('-', '')}`
  return url.href
}
