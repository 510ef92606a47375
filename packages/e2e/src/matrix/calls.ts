import { RoomService, VoiceCallService } from '@parley/contracts/api'
import { and, channel, hall, type Name, pair } from './cast.ts'
import { row, type Row } from './rows.ts'
import type { Stage } from './stage.ts'

const { joinCall, leaveCall, getCallToken } = VoiceCallService.method
const { addMember, banMember, unbanMember } = RoomService.method

type Where = 'channel' | 'hall' | 'dm'

const joinAgain = (stage: Stage, who: Name, room: Where = 'channel') =>
  stage.call(who, joinCall, { roomId: stage[room] })
/** Joins and connects to the media server; otherwise the participant would be removed after a while. */
async function join(stage: Stage, who: Name, room: Where = 'channel') {
  await joinAgain(stage, who, room)
  const { token } = await stage.call(who, getCallToken, { roomId: stage[room] })
  await stage.mediaServer.connect(token)
  await stage.mediaServer.waitUntilSent()
}
const leave = (stage: Stage, who: Name, room: Where = 'channel') => stage.call(who, leaveCall, { roomId: stage[room] })
const nina = (stage: Stage) => ({ roomId: stage.channel, userId: stage.userId('nina') })

/** Events caused by the first participant to join a call, and by the last to leave. */
const begun = (who: Name[]): Row['receives'] => [
  ['callStarted', who],
  ['callParticipantJoined', who],
]
const ended = (who: Name[]): Row['receives'] => [
  ['callParticipantLeft', who],
  ['callEnded', who],
]
const withNina = and(channel, 'nina')

/** Calls in the three kinds of rooms. */
export const calls: Row[] = [
  row('beginning a call', (stage) => join(stage, 'ada'), ...begun(channel)),
  row('joining a call', (stage) => join(stage, 'bob'), ['callParticipantJoined', channel]),
  row('joining a call twice', (stage) => joinAgain(stage, 'bob')),
  row('leaving a call', (stage) => leave(stage, 'bob'), ['callParticipantLeft', channel]),
  row(
    'joining a call as a new member',
    async (stage) => {
      await stage.call('adam', addMember, nina(stage))
      await join(stage, 'nina')
    },
    ['userJoinedRoom', withNina],
    ['callParticipantJoined', withNina],
  ),
  row(
    'banning somebody who is in a call',
    (stage) => stage.call('adam', banMember, { ...nina(stage), reason: 'noise' }),
    ['userLeftRoom', withNina],
    ['callParticipantLeft', channel],
  ),
  row('lifting the ban', (stage) => stage.call('adam', unbanMember, { ...nina(stage), reason: 'quiet again' })),
  row('ending a call', (stage) => leave(stage, 'ada'), ...ended(channel)),
  row('a call in a universal room', (stage) => join(stage, 'nina', 'hall'), ...begun(hall)),
  row('its end', (stage) => leave(stage, 'nina', 'hall'), ...ended(hall)),
  row('a direct call', (stage) => join(stage, 'ada', 'dm'), ...begun(pair)),
  row('the end of a direct call', (stage) => leave(stage, 'ada', 'dm'), ...ended(pair)),
]
