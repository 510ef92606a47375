import { RoomService, VoiceCallService } from '@parley/contracts/api'
import { and, channel, hall, type Name, pair } from './users.ts'
import { row, type Row } from './rows.ts'
import type { Fixture } from './fixture.ts'

const { joinCall, leaveCall, getCallToken } = VoiceCallService.method
const { addMember, banMember, unbanMember } = RoomService.method

type Where = 'channel' | 'hall' | 'dm'

const requestToJoin = (fixture: Fixture, who: Name, room: Where = 'channel') =>
  fixture.call(who, joinCall, { roomId: fixture[room] })
async function join(fixture: Fixture, who: Name, room: Where = 'channel') {
  await requestToJoin(fixture, who, room)
  const { token } = await fixture.call(who, getCallToken, { roomId: fixture[room] })
  await fixture.mediaServer.connect(token)
  await fixture.mediaServer.waitUntilSent()
}
const leave = (fixture: Fixture, who: Name, room: Where = 'channel') =>
  fixture.call(who, leaveCall, { roomId: fixture[room] })
const ninaInChannel = (fixture: Fixture) => ({ roomId: fixture.channel, userId: fixture.userId('nina') })

const startEvents = (who: Name[]): Row['receives'] => [
  ['callStarted', who],
  ['callParticipantJoined', who],
]
const endEvents = (who: Name[]): Row['receives'] => [
  ['callParticipantLeft', who],
  ['callEnded', who],
]
const withNina = and(channel, 'nina')

export const calls: Row[] = [
  row('starting a call', (fixture) => join(fixture, 'ada'), ...startEvents(channel)),
  row('joining a call', (fixture) => join(fixture, 'bob'), ['callParticipantJoined', channel]),
  row('joining a call twice', (fixture) => requestToJoin(fixture, 'bob')),
  row('leaving a call', (fixture) => leave(fixture, 'bob'), ['callParticipantLeft', channel]),
  row(
    'joining a call as a new member',
    async (fixture) => {
      await fixture.call('adam', addMember, ninaInChannel(fixture))
      await join(fixture, 'nina')
    },
    ['userJoinedRoom', withNina],
    ['callParticipantJoined', withNina],
  ),
  row(
    'banning somebody who is in a call',
    (fixture) => fixture.call('adam', banMember, { ...ninaInChannel(fixture), reason: 'noise' }),
    ['userLeftRoom', withNina],
    ['callParticipantLeft', channel],
  ),
  row('lifting the ban', (fixture) =>
    fixture.call('adam', unbanMember, { ...ninaInChannel(fixture), reason: 'quiet again' }),
  ),
  row('ending a call', (fixture) => leave(fixture, 'ada'), ...endEvents(channel)),
  row('a call in a universal room', (fixture) => join(fixture, 'nina', 'hall'), ...startEvents(hall)),
  row('the end of a call in a universal room', (fixture) => leave(fixture, 'nina', 'hall'), ...endEvents(hall)),
  row('a direct call', (fixture) => join(fixture, 'ada', 'dm'), ...startEvents(pair)),
  row('the end of a direct call', (fixture) => leave(fixture, 'ada', 'dm'), ...endEvents(pair)),
]
