import type { ArchivedFile, ArchiveRecord } from '../archive.ts'
import { drawHills } from './picture.ts'

const location = 'the sample'
const minuteMs = 60_000
const dayMinutes = 24 * 60

export const demoPeople = [
  { id: 'design', name: 'demo-design', displayName: 'Design (sample)' },
  { id: 'build', name: 'demo-build', displayName: 'Engineering (sample)' },
  { id: 'write', name: 'demo-write', displayName: 'Editing (sample)' },
  { id: 'help', name: 'demo-help', displayName: 'Support (sample)' },
] as const
type Who = (typeof demoPeople)[number]['id']

export const demoGroup = {
  id: 'sample',
  name: 'Sample',
  description: 'Made by "parley demo"; goes with "parley demo remove".',
}

export const demoRooms = [
  { id: 'launch', name: 'sample-launch', description: 'What is left to do before the launch' },
  { id: 'questions', name: 'sample-questions', description: 'Ask here; somebody will know' },
  { id: 'kitchen', name: 'sample-kitchen', description: 'Everything that is not work' },
] as const
type RoomId = (typeof demoRooms)[number]['id']

type DemoMessage = {
  room: RoomId
  id: string
  by: Who
  /** Minutes before now. */
  ago: number
  text: string
  thread?: string
  inReplyTo?: string
  reactions?: readonly (readonly [emoji: string, by: readonly Who[]])[]
  file?: ArchivedFile
}

const checklist = Buffer.from('# Before the launch\n\n- [x] texts\n- [x] pictures\n- [ ] a last look\n')
const hills = drawHills()

const fileOf = (id: string, name: string, contentType: string, bytes: Uint8Array): ArchivedFile => ({
  ...{ id, name, contentType, size: bytes.length },
  bytes: async () => ({ size: bytes.length, stream: streamOf(bytes) }),
})

async function* streamOf(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}

const conversation: readonly DemoMessage[] = [
  {
    room: 'launch',
    id: 'l1',
    by: 'build',
    ago: 3 * dayMinutes,
    text: 'Good morning! This room is for **everything that is left** before the launch.',
  },
  {
    room: 'launch',
    id: 'l2',
    by: 'write',
    ago: 3 * dayMinutes - 9,
    text: 'The texts are done:\n\n1. the sign-in page\n2. the first steps\n3. the e-mails',
    reactions: [['tada', ['build', 'design']]],
  },
  {
    room: 'launch',
    id: 'l3',
    by: 'design',
    ago: 2 * dayMinutes,
    text: 'Two of the pictures are missing. Who has the originals?',
  },
  {
    room: 'launch',
    id: 'l4',
    by: 'write',
    ago: 2 * dayMinutes - 5,
    text: 'I do, they are in last year’s folder.',
    thread: 'l3',
  },
  {
    room: 'launch',
    id: 'l5',
    by: 'design',
    ago: 2 * dayMinutes - 12,
    text: 'Found, thank you!',
    thread: 'l3',
    reactions: [['heart', ['write']]],
  },
  {
    room: 'launch',
    id: 'l6',
    by: 'build',
    ago: dayMinutes,
    text: 'Here is the list as it is now. Please tick what is done.',
    file: fileOf('checklist', 'checklist.md', 'text/markdown', checklist),
  },
  {
    room: 'launch',
    id: 'l9',
    by: 'design',
    ago: dayMinutes - 25,
    text: 'And this is one of the pictures that were missing:',
    file: fileOf('hills', 'hills.png', 'image/png', hills),
    reactions: [['heart_eyes', ['write', 'help']]],
  },
  { room: 'launch', id: 'l7', by: 'help', ago: 90, text: 'Do we announce it today, or after the weekend?' },
  {
    room: 'launch',
    id: 'l8',
    by: 'build',
    ago: 62,
    text: 'Today, after a final check at four.',
    inReplyTo: 'l7',
    reactions: [['+1', ['help', 'write', 'design']]],
  },
  {
    room: 'questions',
    id: 'q1',
    by: 'help',
    ago: 2 * dayMinutes,
    text: 'Somebody wants to export a room. Is there a command for that?',
  },
  {
    room: 'questions',
    id: 'q2',
    by: 'build',
    ago: 2 * dayMinutes - 3,
    text: 'Yes:\n\n```\nparley export --out rooms.jsonl\n```',
    thread: 'q1',
  },
  { room: 'questions', id: 'q3', by: 'help', ago: 2 * dayMinutes - 4, text: 'That did it. :+1:', thread: 'q1' },
  {
    room: 'questions',
    id: 'q4',
    by: 'write',
    ago: 300,
    text: 'What is the difference between *archived* and *deleted*?',
  },
  {
    room: 'questions',
    id: 'q5',
    by: 'build',
    ago: 290,
    text: '> archived\n\ncan still be read, and can be restored. Deleted is gone for good.',
    inReplyTo: 'q4',
  },
  {
    room: 'kitchen',
    id: 'k1',
    by: 'design',
    ago: 400,
    text: 'There is cake.',
    reactions: [['cake', ['build', 'write', 'help']]],
  },
  {
    room: 'kitchen',
    id: 'k2',
    by: 'help',
    ago: 390,
    text: 'There _was_ cake.',
    reactions: [['joy', ['design', 'build']]],
  },
]

export async function* demoRecords(now: Date): AsyncIterable<ArchiveRecord> {
  const before = (minutes: number) => new Date(now.getTime() - minutes * minuteMs)
  for (const person of demoPeople)
    yield { type: 'person', ...person, email: '', deleted: false, createdAt: before(5 * dayMinutes), location }
  yield { type: 'group', ...demoGroup, location }
  for (const room of demoRooms) {
    yield {
      type: 'room',
      ...{ ...room, dm: false, groupId: demoGroup.id, private: false, universal: true, archived: false },
      ...{ createdAt: before(4 * dayMinutes), location },
    }
    yield { type: 'members', people: demoPeople.map(({ id }) => id), location }
    for (const message of conversation.filter((one) => one.room === room.id))
      yield messageOf(message, before(message.ago))
  }
}

const messageOf = (
  { id, by, text, thread, inReplyTo, reactions = [], file: attached }: DemoMessage,
  createdAt: Date,
): ArchiveRecord => ({
  type: 'message',
  ...{ id, author: by, createdAt, text, markup: 'markdown', location },
  ...{ threadRoot: thread ?? '', inReplyTo: inReplyTo ?? '', alsoInChannel: false },
  reactions: reactions.map(([emoji, people]) => ({ emoji, people: [...people] })),
  files: attached ? [attached] : [],
})
