import { Readable } from 'node:stream'
import { Code, ConnectError, createClient, createRouterTransport } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import {
  AccountsTransferService,
  ImportedPersonOutcome,
  MessagingTransferService,
  RoomsTransferService,
  UploadsOperatorService,
  UploadsTransferService,
  type ImportedMessage,
  type ImportRoomRequest,
} from '@parley/contracts/internal'
import type { ArchivedMessage, ArchivedRoom, ArchiveRecord } from '../src/transfer/archive.ts'
import type { TransferFleet } from '../src/transfer/fleet.ts'
import { importArchive } from '../src/transfer/import-archive.ts'
import { Report } from '../src/transfer/report.ts'

type FakeOptions = {
  known?: string[]
  foreign?: boolean
  refused?: string
}

function fakeFleet({ known, foreign = false, refused }: FakeOptions = {}) {
  const rooms: ImportRoomRequest[] = []
  const members: string[][] = []
  const batches: ImportedMessage[][] = []
  const archived: string[] = []
  const read: string[][] = []
  const chunks: { offset: bigint; length: number }[] = []
  let races = 0
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
        if (request.name === refused) throw new ConnectError('it is nothing', Code.InvalidArgument)
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
      importProgress: ({ roomIds: [roomId = ''] }) => ({ entries: known ? [{ roomId, messages: 1n }] : [] }),
      findImportedMessages: ({ externalIds }) => ({ externalIds: externalIds.filter((id) => known?.includes(id)) }),
      importMessages: ({ messages }) => {
        if (foreign) throw new ConnectError('the room holds other messages', Code.FailedPrecondition)
        const bad = messages.find(({ body }) => body === refused)
        if (bad) throw new ConnectError(`message ${bad.externalId}: that is nothing`, Code.InvalidArgument)
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
        const begun = filename === 'begun' || (filename === 'raced' && races > 0)
        return { uploadId: filename, committed: begun ? 524_288n : 0n }
      },
      importFileChunk: ({ offset, content, uploadId }) => {
        if (uploadId === 'raced' && races++ === 0) throw new ConnectError('another location', Code.InvalidArgument)
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
    storage: createClient(UploadsOperatorService, transport),
    parkedEvents: {},
  }
  return { fleet, rooms, members, batches, archived, read, chunks }
}

const person = (id: string, more: object = {}): ArchiveRecord => {
  return { type: 'person', id, name: `name-${id}`, displayName: '', email: '', deleted: false, location: id, ...more }
}
const room = (more: Partial<ArchivedRoom> = {}): ArchivedRoom => ({
  ...{ type: 'room', id: 'C1', dm: false, name: 'tea', description: '', private: false, universal: false },
  ...{ archived: false, location: 'C1', ...more },
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
  ...{ threadRoot: '', inReplyTo: '', alsoInChannel: false, reactions: [], files: [], location: `at ${id}`, ...more },
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
  const options = { source: 's', group: 'Imported', matchEmails: true, report, progress: () => undefined }
  await importArchive(fake.fleet, Readable.from(records), options)
  return report.toJson()
}
const members = (...people: string[]): ArchiveRecord => ({ type: 'members', people, location: 'C1' })

test('rooms are created in their group, or in that of the options, without unknown and deleted members', async () => {
  const fake = fakeFleet()
  const group = { type: 'group', id: 'G1', name: 'Own', description: '', location: '' } as const
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

test('members after the first thousand are sent in further calls, but not for a room with imported messages', async () => {
  const people = Array.from({ length: 2_500 }, (_, index) => `P${index}`)
  const records = [...people.map((id) => person(id)), room(), members(...people)]
  const first = fakeFleet()
  await run(first, ...records)
  expect([first.rooms[0]?.memberIds.length, first.members.map(({ length }) => length)]).toEqual([1_000, [1_000, 500]])
  const later = fakeFleet({ known: [] })
  await run(later, ...records)
  expect(later.members).toEqual([])
})

test('a direct message with too many people becomes a private room', async () => {
  const fake = fakeFleet()
  const many = Array.from({ length: 11 }, (_, index) => `P${index}`)
  await run(fake, ...many.map((id) => person(id)), room({ id: 'D1', dm: true, private: false }), members(...many))
  expect(fake.rooms).toMatchObject([{ externalId: 'D1', dm: false, private: true }])
})

test('a direct message keeps deleted people; with more than ten people it becomes a private room', async () => {
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

test('messages not yet imported are sent in batches; then they are marked as read and the room is archived', async () => {
  const fake = fakeFleet({ known: ['old', 'new'] })
  const newest = message('new', { createdAt: new Date(1_700_000_000_000) })
  const between = Array.from({ length: 600 }, (_, index) => message(`between-${index}`))
  const file = { id: 'F', name: 'F', contentType: '', bytes: () => Promise.reject(new Error('read again')) }
  const old = message('old', { files: [file] })
  const report = await run(fake, person('ann'), room({ archived: true }), members('ann'), old, newest, ...between)
  expect(fake.batches.map(({ length }) => length)).toEqual([500, 100])
  expect(fake.batches.flat().map(({ externalId }) => externalId)).toEqual(between.map(({ id }) => id))
  expect([fake.read, fake.archived]).toEqual([[['here-ann']], ['here-C1']])
  expect(report.notTaken).toEqual([])
})

test('after an interrupted import, the next one writes only the missing parts of a split message', async () => {
  const fake = fakeFleet({ known: ['long', 'long#2'] })
  await run(fake, person('ann'), room(), message('long', { text: 'long '.repeat(6_000) }))
  expect(fake.batches.flat().map(({ externalId }) => externalId)).toEqual(['long#3'])
})

test('refused records and the messages of a refused room are reported, and everything else is imported', async () => {
  const fake = fakeFleet({ refused: 'text 7' })
  const messages = Array.from({ length: 20 }, (_, index) => message(String(index)))
  const { notTaken } = await run(
    ...([fake, person('ann'), room(), ...messages, room({ id: 'C2', name: 'text 7' })] as const),
    message('lost'),
  )
  expect(fake.batches.flat().map(({ externalId }) => Number(externalId))).toEqual(
    Array.from({ length: 20 }, (_, index) => index).filter((index) => index !== 7),
  )
  expect(notTaken).toMatchObject([
    { what: 'messages', reason: 'that is nothing', places: ['at 7'] },
    { what: 'rooms', reason: 'it is nothing', places: ['C1'] },
    { what: 'messages', reason: 'their room was not imported', places: ['at lost'] },
  ])
})

test('overlong texts are cut before they are sent', async () => {
  const fake = fakeFleet()
  const long = 'x'.repeat(3_000_000)
  const { altered } = await run(
    ...([fake, person('ann'), room({ name: long, description: long }), message('1', { text: long })] as const),
  )
  expect(fake.rooms.map(({ name, description }) => [name.length, description.length])).toEqual([[200, 1_000]])
  expect(fake.batches.flat().reduce((sum, { body }) => sum + body.length, 0)).toBe(1_000_000)
  expect(altered.map(({ reason }) => reason)).toEqual([
    'its name was changed',
    'longer than 1000000 characters; the rest was cut off',
    'longer than 10000 bytes; they were split into several',
  ])
})

test('renamed people and rooms are reported with their new names', async () => {
  const fake = fakeFleet()
  const { altered } = await run(fake, person('ann', { name: `ann${'x'.repeat(400)}` }), room({ name: 'y'.repeat(300) }))
  expect(altered.map(({ places: [location = ''] }) => location.slice(0, 10))).toEqual(['ann is ann', 'C1 is yyyy'])
})

test('a file of which another run has sent a part is continued after that part', async () => {
  const fake = fakeFleet()
  const raced = message('1', { files: [file('raced', 'x'.repeat(600_000))] })
  const { taken, notTaken } = await run(fake, person('ann'), room(), raced)
  expect([fake.chunks, taken.files, notTaken]).toEqual([[{ offset: 524_288n, length: 75_712 }], 1, []])
})

test('a file whose size differs from that in the archive is not imported', async () => {
  const { notTaken } = await run(
    ...([fakeFleet(), person('ann'), room()] as const),
    message('1', { files: [{ ...file('a', 'xx'), size: 3 }] }),
  )
  expect(notTaken).toMatchObject([{ what: 'files', reason: 'the archive states another size' }])
})

test('long texts are split and mentions renamed; unknown emoji, and messages and reactions of unknown people, are left out', async () => {
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
    { what: 'reactions', reason: 'this server has no emoji ":partyparrot:"', places: ['at 1'] },
    { what: 'messages', reason: 'the archive does not say who wrote it', places: ['at 2'] },
  ])
  expect(altered).toMatchObject([{ what: 'messages', places: ['at 3'] }])
})

test('files are sent in chunks, continued where an earlier run stopped, and reported if they cannot be imported', async () => {
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
    ['files', 'their bytes are neither in the archive nor in the --files folder', 2],
    ['files', 'a message has at most 10', 1],
    ['messages', 'it contains nothing that can be shown', 1],
  ])
})

test('a room that already has messages of this server is left unchanged and reported', async () => {
  const fake = fakeFleet({ foreign: true })
  const { notTaken } = await run(fake, person('ann'), room({ dm: true }), members('ann'), message('1'), message('2'))
  expect(notTaken).toMatchObject([{ what: 'messages', reason: 'the room holds other messages', count: 2 }])
  expect(fake.read).toEqual([])
})
