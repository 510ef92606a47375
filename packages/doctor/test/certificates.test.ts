import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, expect, test } from '@jest/globals'
import { selfSignedCertificate, tlsServer } from '@parley/testkit'
import { reportCertificateFile, reportServerCertificate } from '../src/certificates.ts'
import { reportTo, type Finding } from '../src/finding.ts'

const dayMs = 86_400_000
const dir = mkdtempSync(join(tmpdir(), 'parley-doctor-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const inDays = (days: number) => new Date(Date.now() + days * dayMs)
const certificate = (days: number) => selfSignedCertificate({ from: inDays(-100), until: inDays(days) })

async function findingForServer(
  pair: { cert: string; key: string },
  servername?: string,
): Promise<Finding | undefined> {
  await using server = await tlsServer(pair)
  const findings: Finding[] = []
  await reportServerCertificate(reportTo(findings), 'tls', { host: '127.0.0.1', port: server.port, servername })
  expect([1, 2]).toContain(findings.length)
  return findings.at(-1)
}

test('a trusted certificate passes; one of an unknown authority or for another name is reported', async () => {
  const pair = certificate(90)
  expect(await findingForServer(pair)).toMatchObject({
    result: 'fail',
    next: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
  })
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, pair.cert])
  try {
    expect(await findingForServer(pair)).toMatchObject({
      result: 'ok',
      found: expect.stringContaining('is valid until'),
    })
    expect(await findingForServer(pair, 'chat.example.org')).toMatchObject({
      result: 'fail',
      found: expect.stringContaining('is not trusted'),
      next: expect.stringContaining('for this host name'),
    })
  } finally {
    setDefaultCACertificates(before)
  }
})

test('an expired certificate is reported', async () => {
  expect(await findingForServer(certificate(-2))).toMatchObject({
    result: 'fail',
    found: expect.stringMatching(/^the certificate of 127\.0\.0\.1:\d+ expired on \d{4}-\d\d-\d\d$/),
    next: 'Renew the certificate, and let the server load the new one.',
  })
})

test('the certificate of a server at an IPv6 address in brackets is checked', async () => {
  await using server = await tlsServer(certificate(-2), '::1')
  const findings: Finding[] = []
  await reportServerCertificate(reportTo(findings), 'tls', { host: '[::1]', port: server.port })
  expect(findings).toEqual([expect.objectContaining({ found: expect.stringContaining('expired on') })])
})

test('in a file of authorities, the certificate that expires last is checked; in any other file, the first one', async () => {
  const file = join(dir, 'certificates.pem')
  const findings: Finding[] = []
  const report = reportTo(findings)
  const [ended, soon, late] = [certificate(-9).cert, certificate(5.5).cert, certificate(90).cert]
  writeFileSync(file, ended + late + soon)
  await reportCertificateFile(report, 'tls', file, 'authorities')
  await reportCertificateFile(report, 'tls', file, 'own')
  writeFileSync(file, ended + soon)
  await reportCertificateFile(report, 'tls', file, 'authorities')
  writeFileSync(file, ended)
  await reportCertificateFile(report, 'tls', file, 'authorities')
  writeFileSync(file, 'nothing')
  await reportCertificateFile(report, 'tls', file, 'own')
  expect(findings).toEqual([
    expect.objectContaining({ result: 'ok', found: expect.stringContaining('is valid until') }),
    expect.objectContaining({
      result: 'fail',
      next: 'Renew the certificate, and restart the processes that use the file.',
    }),
    expect.objectContaining({ result: 'warn', found: expect.stringContaining('expires in 5 days') }),
    expect.objectContaining({ result: 'fail', next: expect.stringContaining('newer certificate of the authority') }),
    expect.objectContaining({ result: 'fail', found: expect.stringContaining('it contains no certificate') }),
  ])
})
