import { Readable } from 'node:stream'
import { Code, ConnectError, createClient, createRouterTransport } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import {
  AccountsTransferService,
  ImportedPersonOutcome,
  MessagingTransferService,
  RoomsTransferService,
  UploadsTransferService,
  type ImportedMessage,
  type ImportRoomRequest,
} from '@parley/contracts/internal'
import type { ArchivedMessage, ArchivedRoom, ArchiveRecord } from '../src/transfer/archive.ts'
import type { TransferFleet } from '../src/transfer/fleet.ts'
import { importArchive } from '../src/transfer/import-archive.ts'
import { Report } from '../src/transfer/report.ts'

/** A fleet that takes everything, and remembers it. */
function fakeFleet({ through, foreign = false }: { through?: Date; foreign?: boolean } = {}) {
  const rooms: ImportRoomRequest[] = []
  const members: string[][] = []
  const batches: ImportedMessage[][] = []
  const archived: string[] = []
  const read: string[][] = []
  const chunks: { offset: bigint; length: number }[] = []
  const transport = createRouterTransport((router) => {
    router.service(AccountsTransferService, {
      importPeople: ({ people }) => ({
        people: people.map(({ externalId, name, deleted }) => ({
          ...{ externalId, userId: `here-${externalId}`, login: deleted ? '' : name },
          outcome: ImportedPersonOutcome.MADE,
        })),
      }),
    })
    router.service(RoomsTransferService, {
      importGroup: ({ name }) => ({ groupId: `group-${name}`, made: true }),
      importRoom: (request) => {
        rooms.push(request)
        return { roomId: `here-${request.externalId}`, name: request.dm ? '' : request.name, made: true }
      },
      importMembers: ({ userIds }) => {
        members.push(userIds)
        return {}
      },
      archiveImportedRoom: ({ roomId }) => {
        archived.push(roomId)
        return {}
      },
    })
    router.service(MessagingTransferService, {
      importProgress: ({ roomIds: [roomId = ''] }) => {
        const seconds = BigInt(Math.floor((through?.getTime() ?? 0) / 1000))
        return { entries: through ? [{ roomId, messages: 1n, through: { seconds, nanos: 0 } }] : [] }
      },
      importMessages: ({ messages }) => {
        if (foreign) throw new ConnectError('the room holds other messages', Code.FailedPrecondition)
        batches.push(messages)
        return { written: messages.length }
      },
      finishImport: ({ userIds }) => {
        read.push(userIds)
        return {}
      },
    })
    router.service(UploadsTransferService, {
      importFile: ({ filename }) => {
        if (filename === 'huge') throw new ConnectError('size: too large', Code.InvalidArgument)
        return { uploadId: filename, committed: filename === 'begun' ? 524_288n : 0n }
      },
      importFileChunk: ({ offset, content }) => {
        chunks.push({ offset, length: content.length })
        return { committed: offset + BigInt(content.length) }
      },
      completeImportedFile: ({ uploadId }) => ({ asset: { assetId: `asset-${uploadId}`, filename: uploadId } }),
    })
  })
  const fleet: TransferFleet = {
    accounts: createClient(AccountsTransferService, transport),
    rooms: createClient(RoomsTransferService, transport),
    messaging: createClient(MessagingTransferService, transport),
    uploads: createClient(UploadsTransferService, transport),
  }
  return { fleet, rooms, members, batches, archived, read, chunks }
}

const person = (id: string, more: object = {}): ArchiveRecord => {
  return { type: 'person', id, name: `name-${id}`, displayName: '', email: '', deleted: false, place: id, ...more }
}
const room = (more: Partial<ArchivedRoom> = {}): ArchivedRoom => ({
  ...{ type: 'room', id: 'C1', dm: false, name: 'tea', description: '', private: false, universal: false },
  ...{ archived: false, place: 'C1', ...more },
})
const message = (id: string, more: Partial<ArchivedMessage> = {}): ArchivedMessage => ({
  ...{
    type: 'message',
    id,
    author: 'ann',
    createdAt: new Date(1_500_000_000_000),
    text: `text ${id}`,
    markup: 'slack',
  },
  ...{ threadRoot: '', inReplyTo: '', alsoInChannel: false, reactions: [], files: [], place: `at ${id}`, ...more },
})
const file = (name: string, content?: string) => ({
  ...{ id: name, name, contentType: 'text/plain' },
  bytes:
    content === undefined
      ? undefined
      : async () => ({ size: content.length, stream: Readable.from([Buffer.from(content)]) }),
})

async function run(fake: ReturnType<typeof fakeFleet>, ...records: ArchiveRecord[]) {
  const report = new Report()
  const terms = { source: 's', group: 'Imported', matchEmails: true, report, progress: () => undefined }
  await importArchive(fake.fleet, Readable.from(records), terms)
  return report.toJson()
}
const members = (...people: string[]): ArchiveRecord => ({ type: 'members', people, place: 'C1' })

test('rooms come with the members that are known, into the group of the command or their own', async () => {
  const fake = fakeFleet()
  const group = { type: 'group', id: 'G1', name: 'Own', description: '', place: '' } as const
  const report = await run(
    ...([fake, person('ann'), person('gone', { deleted: true }), group] as const),
    ...[room(), members('ann', 'nobody', 'gone'), room({ id: 'C2', groupId: 'G1', private: true })],
  )
  expect(fake.rooms).toMatchObject([
    { externalId: 'C1', groupId: 'group-Imported', memberIds: ['here-ann'], private: false },
    { externalId: 'C2', groupId: 'group-Own', memberIds: [], private: true },
  ])
  expect(report.notTaken).toMatchObject([{ what: 'members', count: 1, places: ['C1'] }])
})

test('many members come in several calls, unless the room was complete once', async () => {
  const people = Array.from({ length: 2_500 }, (_, index) => `P${index}`)
  const records = [...people.map((id) => person(id)), room(), members(...people)]
  const first = fakeFleet()
  await run(first, ...records)
  expect([first.rooms[0]?.memberIds.length, first.members.map(({ length }) => length)]).toEqual([1_000, [1_000, 500]])
  const later = fakeFleet({ through: new Date() })
  await run(later, ...records)
  expect(later.members).toEqual([])
})

test('a direct message keeps those who were deleted; of more than ten people it becomes a private channel', async () => {
  const fake = fakeFleet()
  const many = Array.from({ length: 11 }, (_, index) => `P${index}`)
  await run(
    ...([fake, person('ann'), person('gone', { deleted: true }), ...many.map((id) => person(id))] as const),
    ...[
      room({ id: 'D1', dm: true }),
      members('ann', 'gone'),
      room({ id: 'D2', dm: true, private: true }),
      members(...many),
    ],
  )
  expect(fake.rooms).toMatchObject([
    { externalId: 'D1', dm: true, private: false, memberIds: ['here-ann', 'here-gone'] },
    { externalId: 'D2', dm: false, private: true },
  ])
})

test('messages come in batches, what an earlier run surely wrote is left out, and all is read at the end', async () => {
  const day = 24 * 3600_000
  const through = new Date(1_500_000_000_000 + 5 * day)
  const fake = fakeFleet({ through })
  const late = Array.from({ length: 600 }, (_, index) => message(`late-${index}`, { createdAt: through }))
  const near = message('near', { createdAt: new Date(through.getTime() - day) })
  await run(fake, person('ann'), room({ archived: true }), members('ann'), message('old'), near, ...late)
  expect(fake.batches.map(({ length }) => length)).toEqual([500, 101])
  expect(fake.batches[0]?.[0]?.externalId).toBe('near')
  expect([fake.read, fake.archived]).toEqual([[['here-ann']], ['here-C1']])
})

test('a long text is cut, an unknown author or emoji is told, and mentions get their names here', async () => {
  const fake = fakeFleet()
  const reactions = [
    { emoji: '+1::skin-tone-2', people: ['ann', 'nobody'] },
    { emoji: 'partyparrot', people: ['ann'] },
  ]
  const { notTaken, altered } = await run(
    ...([fake, person('ann'), room()] as const),
    ...[message('1', { text: '<@ann> in <#C1>', reactions }), message('2', { author: 'nobody' })],
    message('3', { text: 'long '.repeat(4_001), threadRoot: '1' }),
  )
  const [first, ...parts] = fake.batches.flat()
  expect(first).toMatchObject({ body: '@name-ann in #tea', reactions: [{ emoji: '+1', userIds: ['here-ann'] }] })
  expect(parts.map(({ externalId, threadRootExternalId }) => [externalId, threadRootExternalId])).toEqual([
    ['3', '1'],
    ['3#2', '1'],
    ['3#3', '1'],
  ])
  expect(notTaken).toMatchObject([
    { what: 'reactions', reason: 'there is no emoji ":partyparrot:" here', places: ['at 1'] },
    { what: 'messages', reason: 'the archive does not say who wrote it', places: ['at 2'] },
  ])
  expect(altered).toMatchObject([{ what: 'messages', places: ['at 3'] }])
})

test('files come in pieces, go on where they stopped, and are told when they cannot be taken', async () => {
  const fake = fakeFleet()
  const files = [file('a', 'x'.repeat(600_000)), file('begun', 'y'.repeat(600_000)), file('huge', 'z'), file('away')]
  const many = Array.from({ length: 11 }, (_, index) => file(`f${index}`, 'x'))
  const { taken, notTaken } = await run(
    ...([fake, person('ann'), room()] as const),
    ...[
      message('1', { text: '', files }),
      message('2', { files: many }),
      message('3', { text: '', files: [file('away')] }),
    ],
  )
  expect(fake.chunks.slice(0, 3)).toEqual([
    { offset: 0n, length: 524_288 },
    { offset: 524_288n, length: 75_712 },
    { offset: 524_288n, length: 75_712 },
  ])
  expect(fake.batches.flat().map(({ attachments }) => attachments.length)).toEqual([2, 10])
  expect(taken.files).toBe(12)
  expect(notTaken.map(({ what, reason, count }) => [what, reason, count])).toEqual([
    ['files', 'size: too large', 1],
    ['files', 'their bytes are neither in the archive nor in the folder of --files', 2],
    ['files', 'a message has at most 10', 1],
    ['messages', 'nothing of it can be shown', 1],
  ])
})

test('a conversation in which people wrote here already is left as it is, and told', async () => {
  const fake = fakeFleet({ foreign: true })
  const { notTaken } = await run(fake, person('ann'), room({ dm: true }), members('ann'), message('1'), message('2'))
  expect(notTaken).toMatchObject([{ what: 'messages', reason: 'the room holds other messages', count: 2 }])
  expect(fake.read).toEqual([])
})
