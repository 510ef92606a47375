import { MessageService, RoomService } from '@parley/contracts/api'
import type { Fleet } from '@parley/local'
import { createAccounts } from '../load/crowd.ts'
import type { HttpCaller } from '../load/http-caller.ts'
import { createRoom } from '../load/rooms.ts'
import { summarize, time } from '../load/timing.ts'
import type { Report } from '../report.ts'
import { body } from './posting.ts'

const { addReaction, createMessage, removeReaction, updateMessage } = MessageService.method

export async function measureOneRoom(fleet: Fleet, http: HttpCaller, report: Report): Promise<void> {
  const roomId = await createRoom(http, 'bench-changes')
  const messages: string[] = []
  for (let n = 0; n < 64; n++) messages.push((await http.call(createMessage, { roomId, body })).message?.id ?? '')
  let turn = 0
  const react = () => {
    const [n, round] = [turn % 64, Math.floor(turn++ / 64)]
    const reaction = { roomId, messageEventId: messages[n] ?? '', emoji: 'tada' }
    return http.call(round % 2 === 0 ? addReaction : removeReaction, reaction)
  }
  const edit = () => http.call(updateMessage, { roomId, eventId: messages[turn % 64] ?? '', body: `${body} ${turn++}` })
  const mixed = () => (turn % 2 === 0 ? edit() : (turn++, http.call(createMessage, { roomId, body })))
  const works = {
    'AddReaction and RemoveReaction': react,
    UpdateMessage: edit,
    'UpdateMessage and CreateMessage': mixed,
  }
  for (const [name, work] of Object.entries(works)) {
    for (const inFlight of [1, 8, 64]) {
      const many = await time(work, { inFlight, seconds: 3, warmUpSeconds: inFlight === 1 ? 3 : 1 })
      report.add(`${name} in one room, ${inFlight} in flight`, many.perSecond, '1/s')
      report.add(`${name} in one room, ${inFlight} in flight p99`, many.p99, 'ms')
    }
  }
  await measureAddMember(fleet, http, report)
}

async function measureAddMember(fleet: Fleet, http: HttpCaller, report: Report): Promise<void> {
  const count = 1_000
  await createAccounts(fleet, { idPrefix: 'Ulink', loginPrefix: 'link-' }, count)
  const roomId = await createRoom(http, 'bench-joins')
  const started = performance.now()
  const outcomes = await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const start = performance.now()
      const added = await http.call(RoomService.method.addMember, { roomId, userId: `Ulink${n + 1}` }).then(
        () => true,
        () => false,
      )
      return { added, took: performance.now() - start }
    }),
  )
  const seconds = (performance.now() - started) / 1000
  const { p50, p99, perSecond } = summarize(
    outcomes.filter(({ added }) => added).map(({ took }) => took),
    seconds,
  )
  report.add('AddMember of 1,000 users in one room at once, refused', outcomes.filter(({ added }) => !added).length, '')
  report.add('AddMember of 1,000 users in one room at once', perSecond, '1/s')
  report.add('AddMember of 1,000 users in one room at once p50', p50, 'ms')
  report.add('AddMember of 1,000 users in one room at once p99', p99, 'ms')
}
