import { fork, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually } from '@parley/testkit'
import { openEnv, storageKinds, type Env } from './_env.ts'
import { uploadRequest, sha256 } from './_send-files.ts'

const program = fileURLToPath(new URL('programs/uploads.ts', import.meta.url))
const bytes = randomBytes(20 * 524_288 + 1_234)
const chunkBytes = 524_288

describe.each(storageKinds)('with storage %s', (kind) => {
  let env: Env
  const children: ChildProcess[] = []
  beforeAll(async () => {
    env = await openEnv(kind)
    env.rooms.set('Rtea', ['Ualice'])
  })
  afterEach(() => Promise.all(children.splice(0).map(kill)))
  afterAll(async () => env[Symbol.asyncDispose]())

  const alice = () => env.as('Ualice').uploads
  async function startProcess(): Promise<ChildProcess> {
    const execArgv = ['--import', import.meta.resolve('@parley/tooling/run-bundled')]
    const child = fork(program, [], { execArgv, env: { ...process.env, ...env.settings }, stdio: 'inherit' })
    children.push(child)
    await once(child, 'message')
    return child
  }
  const send = (uploadId: string, at: number, options: { timeoutMs?: number } = {}) => {
    const content = bytes.subarray(at, at + chunkBytes)
    return alice().uploadChunk({ uploadId, offset: BigInt(at), content, chunkSha256: sha256(content) }, options)
  }
  const isFile = (key: string) => key.startsWith('files/')
  const isBeingWritten = async () => {
    for await (const { key } of env.storage.unfinished()) return key !== ''
    return false
  }
  const offsetOf = async (uploadId: string) => Number((await alice().getUpload({ uploadId })).upload?.committedOffset)

  test('after a kill during an upload, every acknowledged chunk is kept, and the upload can continue', async () => {
    const child = await startProcess()
    const uploadId = (await alice().createUpload(uploadRequest(bytes))).upload?.uploadId ?? ''
    for (let at = 0; at < 8 * chunkBytes; at += chunkBytes) await send(uploadId, at)
    const pending = send(uploadId, 8 * chunkBytes, { timeoutMs: 5_000 }).catch(() => undefined)
    await kill(child)
    await pending
    await using _ = await env.start()
    const offset = await offsetOf(uploadId)
    expect([8 * chunkBytes, 9 * chunkBytes]).toContain(offset)
    for (let at = offset; at < bytes.length; at += chunkBytes) await send(uploadId, at)
    const { asset } = await alice().completeUpload({ uploadId })
    const stored = await env.storage.get(`files/${asset?.id}`)
    expect(stored && sha256(await buffer(stored.content))).toBe(sha256(bytes))
  })

  test('after a kill during the assembly, a repeated call completes the file', async () => {
    const child = await startProcess()
    const uploadId = (await alice().createUpload(uploadRequest(bytes))).upload?.uploadId ?? ''
    for (let at = 0; at < bytes.length; at += chunkBytes) await send(uploadId, at)
    for (const key of (await env.storedKeys()).filter(isFile)) await env.storage.delete(key)
    const chunks = (await env.storedKeys()).filter((key) => key.includes(uploadId))
    const completion = alice()
      .completeUpload({ uploadId }, { timeoutMs: 5_000 })
      .catch(() => undefined)
    await eventually(async () => (await env.storedKeys()).some(isFile) || (await isBeingWritten()))
    await kill(child)
    await completion
    await using _ = await env.start()
    const { asset, upload } = await alice().completeUpload({ uploadId })
    expect(upload).toMatchObject({ assetId: asset?.id })
    const stored = await env.storage.get(`files/${asset?.id}`)
    expect(stored && sha256(await buffer(stored.content))).toBe(sha256(bytes))
    await eventually(async () => {
      expect((await env.storedKeys()).filter((key) => key.includes(uploadId))).toEqual([])
    })
    expect(chunks).toHaveLength(21)
  })
})

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}
