import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { RoomDirectoryService, RoomDirectoryScope, RoomService } from '@parley/contracts/api'
import { repositoryRoot } from '@parley/local'
import { eventually, writeSlackExport, type SlackExportContent } from '@parley/testkit'
import { databaseOf } from '../src/databases.ts'
import { fleet } from '../src/fleet.ts'
import { newPerson, operate, signIn, type Person } from '../src/people.ts'

const messageCount = process.env.PARLEY_TEST_LONG ? 100_000 : 20_000
const size = { people: 200, channels: 30, privateChannels: 10, dms: 20, messages: messageCount }
const folder = mkdtempSync(join(tmpdir(), 'parley-slack-'))
const archive = join(folder, 'export.zip')
const password = 'a password for the reader'
let content: SlackExportContent
let reader: Person
let report: { taken: Record<string, number>; notTaken: { what: string; count: number }[] }

beforeAll(async () => {
  content = await writeSlackExport(archive, size)
  await killEarly(['import', 'slack', archive])
  const started = performance.now()
  report = (await operate(['import', 'slack', archive])) as typeof report
  const seconds = (performance.now() - started) / 1000
  console.log(
    `the second run imported ${report.taken.messages ?? 0} messages and ${report.taken.replies ?? 0} replies in ${seconds.toFixed(1)} s`,
  )
  await operate(['user', 'set-password', '--login', 'person0', '--password-stdin'], password)
  reader = await signIn({ login: 'person0', password })
}, 400_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function killEarly(args: string[]): Promise<void> {
  const command = join(repositoryRoot(), 'packages/cli/dist/main.js')
  const env = { ...process.env, PARLEY_DATA_DIR: fleet().dataDir }
  await using database = await databaseOf('messaging')
  const countStored = async () =>
    Number((await database.query<{ n: string }>('select count(*) as n from room_events')).rows[0]?.n)
  const before = await countStored()
  const child = spawn(process.execPath, [command, ...args], { env, stdio: 'ignore' })
  const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once('exit', (_, signal) => resolve(signal)))
  const slow = { timeoutMs: 200_000 }
  await eventually(async () => child.exitCode !== null || (await countStored()) > before + size.messages / 10, slow)
  child.kill('SIGKILL')
  expect(await ended).toBe('SIGKILL')
}

type Counted = { messages: number; echoes: number; replies: number; reactions: number; ascending: boolean }

async function countContent(roomId: string): Promise<Counted> {
  const counted: Counted = { messages: 0, echoes: 0, replies: 0, reactions: 0, ascending: true }
  let total = 0
  for (let before = ''; ;) {
    const cursor = before === '' ? {} : { cursor: { case: 'before' as const, value: before } }
    const { page } = await reader.call(RoomService.method.getRoomEvents, { roomId, limit: 500, ...cursor })
    const messages = (page?.events ?? []).flatMap(({ event }) =>
      event.case === 'messagePosted' ? (event.value.message ?? []) : [],
    )
    for (const message of messages) {
      if (message.echoOfEventId !== '') counted.echoes++
      else {
        counted.messages++
        counted.replies += message.thread?.replyCount ?? 0
        counted.reactions += message.reactions.reduce((sum, reaction) => sum + reaction.count, 0)
      }
    }
    const times = messages.map(({ createdAt }) => Number(createdAt?.seconds ?? 0n))
    if (times.some((time, index) => time < (times[index - 1] ?? 0))) counted.ascending = false
    total += messages.length
    if (!page?.hasOlder) break
    before = page.startCursor
  }
  expect(total).toBe(counted.messages + counted.echoes)
  return counted
}

test('after a killed and a second run, every message of a room that is not archived exists once', async () => {
  const { rooms } = await reader.call(RoomDirectoryService.method.listRooms, { scope: RoomDirectoryScope.ALL })
  const archived = [...content.byChannel.keys()].filter((name) => !rooms.some(({ room }) => room?.name === name))
  expect(archived).toEqual(['team-9', 'team-19', 'team-29'])
  let [messages, replies] = [0, 0]
  for (const { room } of rooms) {
    const expected = content.byChannel.get(room?.name ?? '')
    if (!room || (room.name !== '' && !expected)) continue
    const counted = await countContent(room.id)
    expect(counted.ascending).toBe(true)
    if (expected) expect([room.name, counted]).toMatchObject([room.name, expected])
    messages += counted.messages
    replies += counted.replies
  }
  const ofArchived = archived.map((name) => content.byChannel.get(name) ?? { messages: 0, replies: 0 })
  const sum = (of: 'messages' | 'replies') => ofArchived.reduce((total, counted) => total + counted[of], 0)
  expect([messages, replies]).toEqual([content.messages - sum('messages'), content.replies - sum('replies')])
}, 200_000)

test('imported messages are not unread', async () => {
  const { rooms } = await reader.call(RoomDirectoryService.method.listRooms, { scope: RoomDirectoryScope.ALL })
  const ours = rooms.filter(({ room }) => content.byChannel.has(room?.name ?? ''))
  expect(ours.filter(({ viewerState }) => viewerState?.hasUnread)).toEqual([])
})

test('private channels are hidden from non-members, who cannot join or read them', async () => {
  const { rooms: seen } = await reader.call(RoomDirectoryService.method.listRooms, {})
  const secret = seen.filter(({ room }) => content.privateChannels.includes(room?.name ?? ''))
  expect(secret).toHaveLength(size.privateChannels)
  const stranger = await newPerson('stranger')
  const { rooms } = await stranger.call(RoomDirectoryService.method.listRooms, {})
  expect(rooms.filter(({ room }) => content.privateChannels.includes(room?.name ?? ''))).toEqual([])
  const roomId = secret[0]?.room?.id ?? ''
  expect((await stranger.attempt(RoomService.method.joinRoom, { roomId })).status).toBe(403)
  expect((await stranger.attempt(RoomDirectoryService.method.getRoom, { roomId })).status).toBe(403)
})

test('the report lists omitted messages, and a third run imports nothing', async () => {
  expect(report.notTaken).toMatchObject([{ what: 'notices', count: size.channels + size.privateChannels }])
  expect(await operate(['import', 'slack', archive])).toMatchObject({ taken: {} })
}, 200_000)
