import { connect } from 'nats'

const bus = await connect({ servers: process.argv[2] ?? '' })
bus.subscribe('floor.echo', { queue: 'floor', callback: (_, message) => void message.respond(message.data) })
await bus.flush()
process.send?.('ready')
