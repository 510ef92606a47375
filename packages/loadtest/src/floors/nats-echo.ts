import { connect } from 'nats'

// The responder of the raw NATS floor; it sends requests back.
const bus = await connect({ servers: process.argv[2] ?? '' })
bus.subscribe('floor.echo', { queue: 'floor', callback: (_, message) => void message.respond(message.data) })
await bus.flush()
process.send?.('ready')
