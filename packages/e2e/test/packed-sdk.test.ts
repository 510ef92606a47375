import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import vm from 'node:vm'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type * as sdk from '@parley/client'
import { repositoryRoot } from '@parley/local'
import { eventually } from '@parley/testkit'
import { build } from 'esbuild'
import { fleet } from '../src/fleet.ts'
import { newPerson, type Person, signInOwner } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { timelineOf } from '../src/timeline.ts'

const run = promisify(execFile)
const inRepository = (path: string) => join(repositoryRoot(), path)
const readme = readFileSync(inRepository('packages/client/README.md'), 'utf8')
const bot = /## A bot.*?```js\n(.*?)```/s.exec(readme)?.[1] ?? ''

let project: string
let bea: Person
let roomId: string

beforeAll(async () => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'parley-project-')))
  await install(project)
  bea = await newPerson('bea')
  roomId = await newRoom(await signInOwner(), [bea])
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

const bodies = async () =>
  (await timelineOf(bea, roomId)).flatMap(({ event }) =>
    event.case === 'messagePosted' ? [event.value.message?.body] : [],
  )

async function install(folder: string) {
  const packed = join(folder, 'packed')
  await run('pnpm', ['run', 'pack:sdk', packed], { cwd: repositoryRoot() })
  const tarball = (name: string) => `file:${join(packed, `parley-${name}-0.1.0.tgz`)}`
  const installed = ['@bufbuild/protobuf', '@connectrpc/connect', '@connectrpc/connect-web'].map((name) => [
    name,
    `link:${realpathSync(inRepository(`packages/client/node_modules/${name}`))}`,
  ])
  const manifest = {
    ...{ name: 'project', private: true, type: 'module' },
    dependencies: { '@parley/client': tarball('client'), '@parley/contracts': tarball('contracts') },
    pnpm: { overrides: { '@parley/contracts': tarball('contracts'), ...Object.fromEntries(installed) } },
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  await run('pnpm', ['install', '--offline', '--ignore-workspace'], { cwd: folder })
}

test('packages contain JavaScript with types and a licence, and no paths of the workspace', async () => {
  for (const name of ['client', 'contracts']) {
    const of = (file: string) => readFileSync(join(project, 'node_modules/@parley', name, file), 'utf8')
    const { exports, dependencies } = JSON.parse(of('package.json')) as Record<string, Record<string, string>>
    expect(Object.values(exports ?? {}).filter((file) => !/^\.\/dist\/[\w-]+\.js$/.test(file))).toEqual([])
    expect(Object.values(dependencies ?? {}).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
    expect(Object.values(exports ?? {}).map((file) => of(file.replace(/js$/, 'd.ts')).length > 0)).not.toContain(false)
    expect(of('LICENSE')).toContain('Apache License')
    expect(of('README.md')).toContain(`# @parley/${name}`)
  }
})

test('the bot in the README type-checks, runs in Node.js, and answers', async () => {
  writeFileSync(join(project, 'bot.js'), bot)
  const options = ['--allowJs', '--checkJs', '--strict', '--noEmit', '--target', 'es2022', '--module', 'nodenext']
  const types = ['--typeRoots', realpathSync(inRepository('node_modules/@types')), '--types', 'node']
  await run(inRepository('node_modules/.bin/tsc'), [...options, ...types, 'bot.js'], { cwd: project })

  const { login, password } = bea
  const env = { PATH: process.env.PATH, PARLEY_URL: fleet().gateways[0], BOT_LOGIN: login, BOT_PASSWORD: password }
  const child = spawn(process.execPath, ['bot.js'], { cwd: project, env, stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    await eventually(() => expect(said).toContain('the bot is listening'))
    await post(await signInOwner(), roomId, '!ping')
    await eventually(async () => expect(await bodies()).toContain('pong'))
  } finally {
    child.kill()
    await once(child, 'exit')
  }
})

test('a bundle for browsers uses only APIs of browsers', async () => {
  mkdirSync(join(project, 'page'))
  writeFileSync(
    join(project, 'page/page.js'),
    `import { createParleyClient } from '@parley/client'
     import { RoomKind } from '@parley/client/contract'
     globalThis.page = { createParleyClient, RoomKind }`,
  )
  const { outputFiles } = await build({
    ...{ entryPoints: [join(project, 'page/page.js')], bundle: true, write: false, logLevel: 'silent' },
    ...{ platform: 'browser', format: 'iife', target: 'es2022' },
  })
  const { page } = runAsInBrowser(outputFiles[0]?.text ?? '')
  const client = page.createParleyClient({ baseUrl: fleet().gateways[0] })
  const { login, password } = bea
  await client.signIn({ login, password })
  const { user } = await client.api.viewer.getViewer({})
  expect(user?.profile?.login).toBe(login)
})

function runAsInBrowser(script: string): { page: Pick<typeof sdk, 'createParleyClient'> } {
  const network = ['fetch', 'Headers', 'Request', 'Response', 'URL', 'URLSearchParams', 'WebSocket', 'AbortController']
  const more = ['AbortSignal', 'TextEncoder', 'TextDecoder', 'crypto', 'setTimeout', 'clearTimeout', 'setInterval']
  const all = [...network, ...more, 'clearInterval', 'queueMicrotask', 'performance', 'atob', 'btoa', 'DOMException']
  const window = Object.fromEntries(all.map((name) => [name, Reflect.get(globalThis, name) as unknown]))
  vm.runInNewContext(script, window)
  return window as unknown as { page: Pick<typeof sdk, 'createParleyClient'> }
}
