import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { reachableBinaries } from './postgres-binaries.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-binaries-'))
const publicFolder = mkdtempSync(join(tmpdir(), 'parley-copies-'))
chmodSync(publicFolder, 0o755)
afterAll(() => {
  for (const dir of [folder, publicFolder]) rmSync(dir, { recursive: true, force: true })
})
const asRoot = process.getuid?.() === 0 ? test : test.skip
const why = process.getuid?.() === 0 ? '' : ' (skipped: only root runs PostgreSQL as another user)'

function privateBinaries(version: string) {
  const dir = join(folder, version, 'bin')
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'postgres'), version)
  chmodSync(folder, 0o700)
  return { dir, version, major: Number.parseInt(version, 10) }
}

asRoot(`binaries are copied completely, and each release has its own copy${why}`, () => {
  const nobody = { name: 'nobody', uid: 65_534, gid: 65_534 }
  const copies = join(folder, 'copies')
  const copied = (version: string) =>
    readFileSync(join(reachableBinaries(privateBinaries(version), nobody, copies).dir, 'postgres'), 'utf8')
  // A folder without binaries, a copy that a killed start left, and a copy in progress.
  mkdirSync(join(copies, 'postgresql-16/bin'), { recursive: true })
  const [killed, young] = ['postgresql-16.4.kiLLed', 'postgresql-16.4.by2Too'].map((name) => join(copies, name))
  for (const dir of [killed, young]) mkdirSync(dir ?? '')
  utimesSync(killed ?? '', 0, Date.now() / 1000 - 1000)
  expect(copied('16.4')).toBe('16.4')
  expect(copied('16.9')).toBe('16.9')
  expect(copied('16.4')).toBe('16.4')
  expect(readdirSync(copies).filter((name) => existsSync(join(copies, name, 'bin/postgres')))).toEqual([
    'postgresql-16.4',
    'postgresql-16.9',
  ])
  expect([killed, young].map((dir) => existsSync(dir ?? ''))).toEqual([false, true])
})

asRoot(`files that a strict umask made private are readable once they are copied${why}`, () => {
  const before = process.umask(0o077)
  try {
    const nobody = { name: 'nobody', uid: 65_534, gid: 65_534 }
    const copies = join(publicFolder, 'copies')
    const { dir } = reachableBinaries(privateBinaries('17.1'), nobody, copies)
    const read = spawnSync('cat', [join(dir, 'postgres')], { uid: nobody.uid, encoding: 'utf8' })
    expect(read).toMatchObject({ stdout: '17.1', stderr: '' })
  } finally {
    process.umask(before)
  }
})
