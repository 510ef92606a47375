import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { findExecutable, installSystemPackages } from '@parley/local/infrastructure'
import { eventually } from './_eventually.ts'
import { temporaryFolder } from './_folder.ts'

jest.setTimeout(60_000)

// The tests run the apt of this machine with folders of their own, so that it fetches no lists, and install a package
// that is already installed.
const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())
const at = (name: string) => join(folder.path, name)
const canInstall = process.platform === 'linux' && process.getuid?.() === 0 && findExecutable('apt-get') !== undefined
if (!canInstall) console.warn('this is not root on Debian or Ubuntu: tests of apt are skipped')
const onDebian = canInstall ? test : test.skip

const given = process.env.APT_CONFIG
beforeEach(() => {
  for (const name of ['lists/partial', 'cache/archives/partial', 'dpkg', 'empty'])
    mkdirSync(at(name), { recursive: true })
  if (canInstall) copyFileSync('/var/lib/dpkg/status', at('dpkg/status'))
  const settings = {
    'Dir::Etc::sourcelist': '/dev/null',
    'Dir::Etc::sourceparts': at('empty'),
    'Dir::State::lists': at('lists'),
    'Dir::State::status': at('dpkg/status'),
    'Dir::Cache': at('cache'),
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} "${value}";\n`)
  writeFileSync(at('apt.conf'), lines.join(''))
  process.env.APT_CONFIG = at('apt.conf')
})
afterEach(() => {
  delete process.env.APT_CONFIG
  if (given !== undefined) process.env.APT_CONFIG = given
})

async function holdLock(file: string) {
  const script = `use Fcntl; open(my $f, '>>', $ARGV[0]) or die; my $l = pack('s s x4 q q i x4', F_WRLCK, 0, 0, 0, 0);
    fcntl($f, F_SETLK, $l) or die; $| = 1; print 'held'; sleep`
  const child = spawn('perl', ['-e', script, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return { pid: child.pid, release: () => child.kill() }
}

// `installSystemPackages` fetches the lists once per process, so `lists/lock` must be the first case.
onDebian.each(['lists/lock', 'dpkg/lock-frontend', 'dpkg/lock', 'cache/archives/lock'])(
  'apt waits for another program that holds %s, and reports it',
  async (file) => {
    const lock = await holdLock(at(file))
    const said: string[] = []
    const installed = installSystemPackages(['base-files'], (line) => said.push(line))
    await eventually(() => said.length > 1)
    expect(said).toEqual(['installing base-files with apt', expect.stringContaining(`${at(file)}`)])
    expect(said[1]).toMatch(/^waiting for another package installation to finish: Could not get lock /)
    expect(said[1]).toContain(`process ${lock.pid}`)
    lock.release()
    await installed
    expect(said).toHaveLength(2)
  },
)

onDebian('an aborted installation stops waiting for the lock', async () => {
  const lock = await holdLock(at('dpkg/lock-frontend'))
  const interruption = new AbortController()
  const said: string[] = []
  const installed = installSystemPackages(['base-files'], (line) => said.push(line), interruption.signal)
  const refused = expect(installed).rejects.toThrow('interrupted')
  await eventually(() => said.length > 1)
  interruption.abort(new Error('interrupted'))
  await refused
  lock.release()
})

onDebian('the error of a failed installation contains the output of apt', async () => {
  await expect(installSystemPackages(['no-such-package-of-ours'])).rejects.toThrow(
    /^no-such-package-of-ours could not be installed: apt-get install failed \(100\):\n.*Unable to locate package/,
  )
})
