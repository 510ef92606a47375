import type { IncomingMessage, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { TokenVerifier, type ClaimGrants } from 'livekit-server-sdk'

const prefix = '/twirp/livekit.RoomService/'

type Server = {
  apiKey: string
  apiSecret: string
  isUnavailable: boolean
  requests: { method: string; room: string; identity: string }[]
  rooms: ReadonlyMap<string, { sid: string; name: string; participants: ReadonlyMap<string, object> }>
  disconnect: (identity: string, roomName: string, reason: string) => void
  closeRoom: (name: string) => void
}

type Parameters = { room?: string; identity?: string }
type Answer = { status: number; body: object }

export async function answerTwirp(server: Server, request: IncomingMessage, response: ServerResponse) {
  if (server.isUnavailable) return request.socket.destroy()
  const parameters = (await json(request).catch(() => ({}))) as Parameters
  const { status, body } = await answer(server, request, parameters)
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function answer(server: Server, request: IncomingMessage, parameters: Parameters): Promise<Answer> {
  const token = (request.headers.authorization ?? '').replace(/^Bearer /, '')
  const claims = await new TokenVerifier(server.apiKey, server.apiSecret).verify(token).catch(() => undefined)
  if (!claims) return errorAnswer(401, 'unauthenticated')
  const path = request.url ?? ''
  const method = path.startsWith(prefix) ? path.slice(prefix.length) : ''
  const { room: name = '', identity = '' } = parameters
  const isAllowed = rights[method]
  if (!isAllowed) return errorAnswer(404, 'bad_route')
  if (!isAllowed(claims, name)) return errorAnswer(403, 'permission_denied')
  server.requests.push({ method, room: name, identity })
  if (method === 'ListRooms') {
    const rooms = [...server.rooms.values()].map(({ sid, name: roomName, participants }) => ({
      ...{ sid, name: roomName, numParticipants: participants.size },
    }))
    return { status: 200, body: { rooms } }
  }
  const room = server.rooms.get(name)
  if (!room) return errorAnswer(404, 'not_found')
  if (method === 'ListParticipants') return { status: 200, body: { participants: [...room.participants.values()] } }
  if (method === 'DeleteRoom') {
    server.closeRoom(name)
    return { status: 200, body: {} }
  }
  if (!room.participants.has(identity)) return errorAnswer(404, 'not_found')
  server.disconnect(identity, name, 'PARTICIPANT_REMOVED')
  return { status: 200, body: {} }
}

const isAdmin = ({ video }: ClaimGrants, room: string) => video?.roomAdmin === true && video.room === room

const rights: Record<string, (claims: ClaimGrants, room: string) => boolean> = {
  ListRooms: ({ video }) => video?.roomList === true,
  ListParticipants: isAdmin,
  RemoveParticipant: isAdmin,
  DeleteRoom: ({ video }) => video?.roomCreate === true,
}

const errorAnswer = (status: number, code: string): Answer => ({ status, body: { code, msg: code } })
