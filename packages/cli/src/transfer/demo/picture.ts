import { crc32, deflateSync } from 'node:zlib'

type Colour = readonly [red: number, green: number, blue: number]

const [width, height] = [480, 270]
const sun = { x: 340, y: 84, radius: 34 }

function colourAt(x: number, y: number): Colour {
  if (y > 214 + 18 * Math.sin(x / 70)) return [52, 104, 76]
  if (y > 176 + 26 * Math.sin(x / 90 + 2)) return [96, 148, 112]
  if (Math.hypot(x - sun.x, y - sun.y) < sun.radius) return [250, 214, 120]
  const depth = y / height
  return [Math.round(120 + 110 * depth), Math.round(168 + 60 * depth), 236]
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}

export function drawHills(): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // 8 bits for each of red, green and blue.
  header.set([8, 2], 8)
  const rows = Array.from({ length: height }, (_, y) => [0, ...Array.from({ length: width }, (_, x) => colourAt(x, y))])
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const pixels = deflateSync(Uint8Array.from(rows.flat(2)))
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
}
