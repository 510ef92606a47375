import { createHash } from 'node:crypto'
import { Code, createClient, type Client } from '@connectrpc/connect'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { UploadsTransferService } from '@parley/contracts/internal'
import { eventually } from '@parley/testkit'
import { openEnv, type Env } from './_env.ts'

let env: Env
let transfer: Client<typeof UploadsTransferService>
beforeAll(async () => {
  env = await openEnv()
  await env.start()
  transfer = createClient(UploadsTransferService, env.rpc.transport())
})
afterAll(async () => env[Symbol.asyncDispose]())

const chunk = 524_288
const bytes = Uint8Array.from({ length: chunk + 1000 }, (_, index) => index % 251)
const importRequest = (externalId: string, content: Uint8Array, more: object = {}) => ({
  ...{ source: 'slack:T1', externalId, roomId: 'R1', ownerId: 'Uann', filename: 'plan.bin' },
  ...{ contentType: 'application/octet-stream', size: BigInt(content.length) },
  sha256: createHash('sha256').update(content).digest('hex'),
  ...more,
})
const sendAll = async (uploadId: string, content: Uint8Array, from = 0) => {
  for (let offset = from; offset < content.length; offset += chunk)
    await transfer.importFileChunk({ uploadId, offset: BigInt(offset), content: content.slice(offset, offset + chunk) })
}
const importAll = async (externalId: string, content: Uint8Array) => {
  const { uploadId } = await transfer.importFile(importRequest(externalId, content))
  await sendAll(uploadId, content)
  return (await transfer.completeImportedFile({ uploadId })).asset
}

describe('an imported file', () => {
  test('is imported in chunks, can be resumed, and is stored once', async () => {
    const request = importRequest('1/F1', bytes)
    const { uploadId, committed } = await transfer.importFile(request)
    expect(committed).toBe(0n)
    const first = { uploadId, offset: 0n, content: bytes.slice(0, chunk) }
    await transfer.importFileChunk(first)
    expect(await transfer.importFileChunk(first)).toMatchObject({ committed: BigInt(chunk) })
    expect(await transfer.importFile(request)).toMatchObject({ uploadId, committed: BigInt(chunk) })
    await expect(transfer.completeImportedFile({ uploadId })).rejects.toMatchObject({ code: Code.InvalidArgument })
    await sendAll(uploadId, bytes, chunk)
    const { asset } = await transfer.completeImportedFile({ uploadId })
    expect(asset).toMatchObject({ filename: 'plan.bin', size: BigInt(bytes.length) })
    expect((await transfer.completeImportedFile({ uploadId })).asset).toEqual(asset)
    expect((await transfer.importFile(request)).asset).toEqual(asset)
  })

  test('can be exported completely', async () => {
    const asset = await importAll('1/F2', bytes)
    const parts: Uint8Array[] = []
    for (let offset = 0n; offset < BigInt(bytes.length); offset += BigInt(parts.at(-1)?.length ?? 0)) {
      const { content, size } = await transfer.exportFile({ assetId: asset?.assetId ?? '', offset })
      expect(size).toBe(BigInt(bytes.length))
      parts.push(content)
    }
    expect(Buffer.concat(parts).equals(Buffer.from(bytes))).toBe(true)
    await expect(transfer.exportFile({ assetId: 'Anone' })).rejects.toMatchObject({ code: Code.NotFound })
  })

  test('is kept if an imported message attaches it', async () => {
    const asset = await importAll('1/F3', bytes.slice(0, 10))
    const assetId = asset?.assetId ?? ''
    const attachments = [{ assetId, messageEventId: 'E1' }]
    const fact = { case: 'messagesImported', value: { roomSeq: 1n, messages: 1, attachments } } as const
    await env.publish('R1', { kind: 'messages_imported', fact })
    await eventually(async () => {
      const { rows } = await env.db.execute(`select posted, claim_event_id from assets where id = '${assetId}'`)
      expect(rows).toEqual([{ posted: true, claim_event_id: 'E1' }])
    })
  })

  test.each([
    ['is empty', importRequest('1/F4', new Uint8Array())],
    ['is too large', importRequest('1/F5', bytes, { size: 2n ** 40n })],
    ['has no id', importRequest('', bytes)],
    ['has no name', importRequest('1/F6', bytes, { filename: '..' })],
  ])('that %s is refused', async (_, request) => {
    await expect(transfer.importFile(request)).rejects.toMatchObject({ code: Code.InvalidArgument })
  })

  test('is refused if its checksum differs from the announced one', async () => {
    const { uploadId } = await transfer.importFile(
      importRequest('1/F7', bytes.slice(0, 10), { sha256: 'f'.repeat(64) }),
    )
    await sendAll(uploadId, bytes.slice(0, 10))
    await expect(transfer.completeImportedFile({ uploadId })).rejects.toMatchObject({ code: Code.InvalidArgument })
  })
})
