import { Code, ConnectError, createClient, createRouterTransport } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import {
  AccountsTransferService,
  MessagingTransferService,
  RoomsTransferService,
  UploadsTransferService,
} from '@parley/contracts/internal'
import { exportRooms } from '../src/transfer/parley/write-export.ts'
import type { Line } from '../src/transfer/parley/format.ts'

const files: Record<string, string> = { whole: 'some bytes', empty: '' }
const reactors = ['u1', 'u2', 'u3', 'u4', 'u5']

/**
 * Fleet with one room. Of its files, `gone` is missing, `cut` disappears while it is read, and `short` is truncated.
 * Reactions are returned two at a time.
 */
function fakeFleet(failure = Code.NotFound) {
  const transport = createRouterTransport((router) => {
    router.service(AccountsTransferService, {
      exportPeople: ({ userIds }) => ({ people: userIds.map((userId) => ({ userId, login: userId })) }),
    })
    router.service(RoomsTransferService, {
      exportLayout: () => ({ serverId: 'S1', groups: [] }),
      exportRooms: ({ after }) => ({ rooms: after === '' ? [{ roomId: 'R1', name: 'general' }] : [] }),
      exportMembers: () => ({ userIds: [] }),
    })
    router.service(MessagingTransferService, {
      exportMessages: ({ after, skippedReactions }) => {
        if (after > 0n) return { messages: [] }
        const page = reactors.slice(skippedReactions, skippedReactions + 2)
        const emojiOf = (userId: string) => (userId < 'u4' ? 'tada' : '+1')
        const reactions = ['tada', '+1'].flatMap((emoji) => {
          const userIds = page.filter((userId) => emojiOf(userId) === emoji)
          return userIds.length > 0 ? [{ emoji, userIds }] : []
        })
        const attachments = ['gone', 'whole', 'cut', 'empty', 'short'].map((assetId) => ({
          assetId,
          filename: assetId,
        }))
        const moreReactions = skippedReactions + 2 < reactors.length
        return { messages: [{ eventId: 'E1', roomSeq: 1n, authorId: 'u1', reactions, moreReactions, attachments }] }
      },
    })
    router.service(UploadsTransferService, {
      exportFile: ({ assetId, offset }) => {
        if (assetId === 'short') return { size: 10n, content: Buffer.from(offset === 0n ? 'half' : '') }
        if (assetId === 'cut' && offset === 0n) return { size: 10n, content: Buffer.from('half') }
        const bytes = files[assetId]
        if (bytes === undefined) throw new ConnectError('no such asset', failure)
        return { size: BigInt(bytes.length), content: Buffer.from(bytes).subarray(Number(offset)) }
      },
    })
  })
  return {
    accounts: createClient(AccountsTransferService, transport),
    rooms: createClient(RoomsTransferService, transport),
    messaging: createClient(MessagingTransferService, transport),
    uploads: createClient(UploadsTransferService, transport),
  }
}

async function runExport(fleet: ReturnType<typeof fakeFleet>) {
  const lines: Line[] = []
  const saved = new Map<string, string>()
  const done = await exportRooms(fleet, {
    rooms: [],
    write: async (line) => void lines.push(line),
    async saveFile(assetId, bytes) {
      let text = ''
      for await (const piece of bytes) text += Buffer.from(piece).toString()
      saved.set(assetId, text)
    },
    progress: () => {},
  })
  return { lines, saved, done }
}

test('missing and incomplete files are skipped and listed in the result', async () => {
  const { lines, saved, done } = await runExport(fakeFleet())
  expect(done).toMatchObject({ messages: 1, files: 2, missing: { files: 3, assets: ['gone', 'cut', 'short'] } })
  expect([...saved]).toEqual([
    ['whole', 'some bytes'],
    ['empty', ''],
  ])
  expect(lines.at(-1)).toEqual({ type: 'end', messages: 1 })
})

test('any other failure while a file is read stops the export', async () => {
  await expect(runExport(fakeFleet(Code.Internal))).rejects.toMatchObject({ code: Code.Internal })
})

test('the reactions of a message are written in its line, even if they arrive in several parts', async () => {
  const { lines } = await runExport(fakeFleet())
  expect(lines.filter(({ type }) => type === 'message')).toMatchObject([
    {
      reactions: [
        { emoji: 'tada', people: ['u1', 'u2', 'u3'] },
        { emoji: '+1', people: ['u4', 'u5'] },
      ],
    },
  ])
})
