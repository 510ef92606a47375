import { startRedis } from '../src/infrastructure/index.ts'

const redis = await startRedis({ dir: process.argv[2] ?? '' })
console.log(redis.pid)
setInterval(() => undefined, 1000)
