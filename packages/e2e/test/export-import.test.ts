import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { RoomDirectoryService, RoomService } from '@parley/contracts/api'
import { repositoryRoot } from '@parley/local'
import { writeZip } from '@parley/testkit'
import { fleet } from '../src/fleet.ts'
import { operate, signIn } from '../src/people.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-transfer-'))
const at = (name: string) => join(folder, name)
const mark = `${randomBytes(3).toString('hex')}x`
const rooms = [`tea-${mark}`, `secret-${mark}`, `old-${mark}`]
const ada = `ada${mark}`
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const ts = (second: number) => `15000000${String(second).padStart(2, '0')}.000100`
const slackMessage = (second: number, more: object = {}) => ({
  ...{ type: 'message', user: 'U1', ts: ts(second), text: `said ${second}` },
  ...more,
})

beforeAll(async () => {
  const person = (id: string, name: string) => ({
    ...{ id, team_id: `T${mark}`, name: `${name}${mark}` },
    profile: { display_name: `${name} of ${mark}`, email: `${name}-${mark}@example.org` },
  })
  const [tea, secret, old] = rooms
  const files = [{ id: 'F0000001', name: 'plan.txt', mimetype: 'text/plain' }]
  await writeZip(at('slack.zip'), {
    'users.json': [person('U1', 'ada'), person('U2', 'bea'), { ...person('U3', 'cid'), deleted: true }],
    'channels.json': [
      { id: 'C1', name: tea, created: 1400000000, members: ['U1', 'U2'], purpose: { value: 'all about tea' } },
      { id: 'C2', name: old, created: 1400000000, members: ['U1'], is_archived: true },
    ],
    'groups.json': [{ id: 'G1', name: secret, created: 1400000000, members: ['U1', 'U3'] }],
    'dms.json': [{ id: 'D1', created: 1400000000, members: ['U1', 'U2'] }],
    [`${tea}/2017-07-14.json`]: [
      slackMessage(1, {
        reactions: [
          { name: 'tada', users: ['U2', 'U1'] },
          { name: 'partyparrot', users: ['U1'] },
        ],
      }),
      slackMessage(2, { thread_ts: ts(1), user: 'U2', subtype: 'thread_broadcast' }),
      slackMessage(3, { thread_ts: ts(1), text: `<@U2>, *look* at <#C2|${old}>`, edited: { ts: ts(9) } }),
      slackMessage(4, { files }),
      slackMessage(5, { subtype: 'tombstone' }),
      slackMessage(6, { text: 'long '.repeat(3_000) }),
    ],
    [`${secret}/2017-07-14.json`]: [slackMessage(1, { user: 'U3' })],
    [`${old}/2017-07-14.json`]: [slackMessage(1)],
    'D1/2017-07-14.json': [slackMessage(1), slackMessage(2, { user: 'U2', thread_ts: ts(1) })],
    '__uploads/F0000001/plan.txt': 'the plan',
  })
}, 60_000)

type Line = Record<string, unknown> & { type: string }
const linesOf = (file: string): Line[] =>
  readFileSync(at(file), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

/** Replaces ids by numbers in order of appearance, and removes the "2" that an import appends to a taken name. */
function comparable(file: string): string[] {
  const seen = new Map<string, string>()
  const id = (value: string) => {
    const known = seen.get(value) ?? `#${seen.size}`
    seen.set(value, known)
    return known
  }
  const replace = (key: string, value: unknown): unknown => {
    if (key === 'exportedAt' || key === 'server') return undefined
    if ((key === 'name' || key === 'login') && typeof value === 'string') return value.replace(/-?2$/, '')
    if (key === 'body' && typeof value === 'string') return value.replace(/@(\w+?)2?\b/, '@$1')
    return typeof value === 'string' && /^([A-Z][A-Za-z0-9]{14}|[0-9a-f]{14})$/.test(value) ? id(value) : value
  }
  // Rooms, people and members are ordered by id, and the copies have other ids.
  const blocks: Line[][] = []
  for (const line of linesOf(file)) {
    if (line.type === 'group' || line.type === 'person') continue
    if (line.type === 'members') line.people = (line.people as string[]).length
    if (line.type === 'room' || line.type === 'end') blocks.push([line])
    else blocks.at(-1)?.push(line)
  }
  const nameOf = ([room]: Line[]) => `${room?.type} ${room?.kind} ${String(room?.name)}`
  const sorted = blocks.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  return sorted.flat().map((line) => JSON.stringify(line, replace))
}

test('a Slack export is imported, and the report counts reactions with unknown emoji', async () => {
  const report = await operate(['import', 'slack', at('slack.zip'), '--group', `From ${mark}`])
  expect(report).toMatchObject({
    taken: { people: 3, groups: 1, channels: 3, 'direct messages': 1, files: 1, reactions: 2 },
    notTaken: [{ what: 'reactions', reason: 'this server has no emoji ":partyparrot:"', count: 1 }],
  })
  await operate(['user', 'set-password', '--login', ada, '--password-stdin'], 'a password for ada')
  const person = await signIn({ login: ada, password: 'a password for ada' })
  const { rooms: listed } = await person.call(RoomDirectoryService.method.listRooms, {})
  const tea = listed.find(({ room }) => room?.name === rooms[0])?.room?.id ?? ''
  const { page } = await person.call(RoomService.method.getRoomEvents, { roomId: tea })
  const shown = (page?.events ?? []).flatMap(({ event }) => (event.case === 'messagePosted' ? event.value.message : []))
  const file = shown.find((message) => message?.attachments.length === 1)?.attachments[0]
  expect(await (await fetch(file?.assetUrl?.url ?? '')).text()).toBe('the plan')
  expect(shown.filter((message) => message?.body?.startsWith('long long'))).toHaveLength(2)
}, 60_000)

test('an export can be imported, and exported again with the same content', async () => {
  await operate(['export', '--room', ...rooms, '--out', at('one.jsonl'), '--files', at('files')])
  expect(statSync(at('one.jsonl')).mode & 0o777).toBe(0o600)
  expect(linesOf('one.jsonl').filter(({ kind }) => kind === 'dm')).toEqual([])
  const named = linesOf('one.jsonl').flatMap(({ type, name }) => (type === 'room' ? [name] : []))
  expect(named).toEqual(rooms)
  const files = readdirSync(at('files'))
  expect(files.map((name) => readFileSync(join(at('files'), name), 'utf8'))).toEqual(['the plan'])
  const [root, echoed, reply] = linesOf('one.jsonl').filter(({ type, threadRoot, reactions }) => {
    return type === 'message' && (threadRoot !== undefined || reactions !== undefined)
  })
  expect(reply).toMatchObject({ threadRoot: root?.id, body: `@bea${mark}, **look** at #${rooms[2]}` })
  expect(echoed).toMatchObject({ alsoInChannel: true })

  const importArgs = [
    'import',
    'parley',
    at('one.jsonl'),
    '--files',
    at('files'),
    '--match',
    'none',
    '--source',
    `copy-${mark}`,
  ]
  expect(await operate(importArgs)).toMatchObject({ taken: { people: 3, channels: 3, files: 1 }, notTaken: [] })
  const copies = rooms.map((name) => `${name}-2`)
  await operate(['export', '--room', ...copies, '--out', at('two.jsonl'), '--files', at('files-2')])
  expect(comparable('two.jsonl')).toEqual(comparable('one.jsonl'))
  expect(await operate(importArgs)).toMatchObject({ taken: {}, notTaken: [] })
}, 60_000)

test('an export to standard output reports on standard error', async () => {
  const command = join(repositoryRoot(), 'packages/cli/dist/main.js')
  const env = { ...process.env, PARLEY_DATA_DIR: fleet().dataDir }
  const into = (file: string) => {
    const out = openSync(file, 'w')
    const args = [command, 'export', '--room', rooms[1] ?? '', '--json']
    const { status, stderr } = spawnSync(process.execPath, args, { env, stdio: ['ignore', out, 'pipe'] })
    closeSync(out)
    return { status, said: String(stderr) }
  }
  const { status, said } = into(at('out.jsonl'))
  const missing = { files: 0, assets: [] }
  expect([status, JSON.parse(said)]).toEqual([0, { rooms: 1, people: 2, messages: 1, files: 0, missing }])
  expect(linesOf('out.jsonl').at(-1)).toEqual({ type: 'end', messages: 1 })
  expect(into('/dev/full')).toMatchObject({ status: 1, said: expect.stringMatching(/^parley: .*ENOSPC/) })
})

test('export and import explain a refusal, and an import reports that its file is truncated', async () => {
  await expect(operate(['export', '--room', 'no-such-room', '--out', at('x.jsonl')])).rejects.toThrow('no-such-room')
  expect(readdirSync(folder).filter((name) => name.startsWith('x.jsonl'))).toEqual([])
  writeFileSync(at('wrong.jsonl'), '{"type":"header","format":"other"}\n')
  await expect(operate(['import', 'parley', at('wrong.jsonl')])).rejects.toThrow('was not written by parley export')
  await expect(operate(['import', 'slack', at('wrong.jsonl')])).rejects.toThrow('cannot be read as a zip archive')
  await expect(operate(['import', 'slack', at('slack.zip'), '--match', 'name'])).rejects.toThrow('--match')
  const cut = readFileSync(at('one.jsonl'), 'utf8').split('\n').slice(0, -2).join('\n')
  writeFileSync(at('cut.jsonl'), cut)
  expect(
    await operate(['import', 'parley', at('cut.jsonl'), '--source', `cut-${mark}`, '--match', 'none']),
  ).toMatchObject({
    notTaken: expect.arrayContaining([
      expect.objectContaining({ reason: 'the file is truncated: the rest of the export is missing' }),
    ]),
  })
}, 60_000)
