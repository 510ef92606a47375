import sharp, { type Color } from 'sharp'

const red = { r: 255, g: 0, b: 0 }

export const plainImage = (width: number, height: number, background: Color = red) =>
  sharp({ create: { width, height, channels: 3, background } })

export const animatedImage = (width: number, height: number) =>
  sharp(Buffer.concat([10, 200].map((grey) => Buffer.alloc(width * height * 3, grey))), {
    raw: { width, height: height * 2, channels: 3, pageHeight: height },
  })
