import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startPostgres, type Postgres } from '@parley/local/infrastructure'
import type { Database } from '@parley/postgres'
import { eventually, openTestDatabase, selfSignedCertificate } from '@parley/testkit'
import { databaseCheck } from '../src/database.ts'
import { findingOf } from './_found.ts'

const check = databaseCheck('rooms', new URL('../../../services/rooms/drizzle/', import.meta.url))
const dayMs = 86_400_000
const dir = mkdtempSync(join(tmpdir(), 'parley-doctor-'))
let postgres: Postgres
let admin: Database

beforeAll(async () => {
  // PostgreSQL may run as another user, who must be able to reach its folder inside this one.
  chmodSync(dir, 0o755)
  postgres = await startPostgres({ dir: join(dir, 'postgres'), fsync: false })
  admin = await openTestDatabase(postgres.adminUrl)
})
afterAll(async () => {
  await admin[Symbol.asyncDispose]()
  await postgres.stop()
  rmSync(dir, { recursive: true, force: true })
})

const env = { PARLEY_ROOMS_DATABASE_URL: '' }
const certificateFinding = () => findingOf(check, env, 'postgres.certificate')

/**
 * Gives the server a certificate that expires in so many days, and returns it. The server writes the files itself,
 * because they must belong to its user.
 */
async function replaceCertificate(days: number): Promise<string> {
  const pair = selfSignedCertificate({
    from: new Date(Date.now() - 100 * dayMs),
    until: new Date(Date.now() + days * dayMs),
  })
  for (const [file, text] of Object.entries({ 'server.crt': pair.cert, 'server.key': pair.key }))
    await admin.pool.query(
      `copy (select unnest(string_to_array('${text.trim()}', E'\\n'))) to program 'umask 077; cat > ${file}'`,
    )
  await admin.pool.query('alter system set ssl = on')
  await admin.pool.query('select pg_reload_conf()')
  return pair.cert
}

test('a server without TLS, with an expired certificate or with one that expires soon is reported', async () => {
  env.PARLEY_ROOMS_DATABASE_URL = `${postgres.adminUrl}?sslmode=require`
  expect(await certificateFinding()).toMatchObject({
    result: 'fail',
    found: expect.stringContaining('does not offer TLS'),
  })
  expect(await findingOf(check, env, 'postgres.reach')).toMatchObject({
    result: 'fail',
    next: expect.stringContaining('Let PostgreSQL offer TLS'),
  })
  await replaceCertificate(-3)
  await eventually(async () =>
    expect(await certificateFinding()).toMatchObject({
      result: 'fail',
      found: expect.stringContaining('expired on'),
      next: 'Renew the certificate, and let the server load the new one.',
    }),
  )
  await replaceCertificate(5)
  await eventually(async () =>
    expect(await certificateFinding()).toMatchObject({
      result: 'warn',
      found: expect.stringContaining('expires in 4 days'),
    }),
  )
})

test('an authority that only the URL names is trusted, with and without sslmode', async () => {
  const file = join(dir, 'authority.pem')
  writeFileSync(file, await replaceCertificate(90))
  for (const mode of ['', '&sslmode=verify-full']) {
    env.PARLEY_ROOMS_DATABASE_URL = `${postgres.adminUrl}?sslrootcert=${file}${mode}`
    await eventually(async () => expect(await findingOf(check, env, 'postgres.reach')).toMatchObject({ result: 'ok' }))
    const all = (await check({ env })).filter((finding) => finding.check === 'postgres.certificate')
    expect(all).toEqual([
      expect.objectContaining({ result: 'ok', found: expect.stringContaining('the last certificate to expire in') }),
      expect.objectContaining({ result: 'ok', found: expect.stringContaining('the certificate of 127.0.0.1') }),
    ])
  }
})

test('a certificate of an authority that is not in the file of sslrootcert is reported', async () => {
  await replaceCertificate(90)
  const file = join(dir, 'other.pem')
  writeFileSync(file, selfSignedCertificate({ from: new Date(), until: new Date(Date.now() + dayMs) }).cert)
  env.PARLEY_ROOMS_DATABASE_URL = `${postgres.adminUrl}?sslrootcert=${file}`
  await eventually(async () =>
    expect(await check({ env })).toContainEqual(
      expect.objectContaining({
        found: expect.stringContaining('is not trusted'),
        next: expect.stringContaining('the file that sslrootcert names'),
      }),
    ),
  )
})

test('a URL that accepts any certificate is a warning', async () => {
  await replaceCertificate(90)
  env.PARLEY_ROOMS_DATABASE_URL = `${postgres.adminUrl}?sslmode=no-verify`
  await eventually(async () => expect(await findingOf(check, env, 'postgres.reach')).toMatchObject({ result: 'ok' }))
  expect(await certificateFinding()).toMatchObject({
    result: 'warn',
    next: expect.stringContaining('sslmode=verify-full'),
  })
})
