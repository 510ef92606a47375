import sharp from 'sharp'

export type Line = { legend: string; points: readonly (readonly [seconds: number, value: number])[] }
export type PlottedPanel = { title: string; unit: string; lines: readonly Line[] }

const [width, height, columns, gap] = [440, 260, 3, 16]
const plot = { left: 56, top: 40, width: width - 72, height: 130 }
const colours = ['#7eb26d', '#eab839', '#6ed0e0', '#ef843c', '#e24d42', '#1f78c1', '#ba43a9', '#705da0', '#508642']
const shownLegends = 5

export function drawDashboard(title: string, panels: readonly PlottedPanel[]): Promise<Buffer> {
  const rows = Math.ceil(panels.length / columns)
  const [w, h] = [columns * (width + gap) + gap, rows * (height + gap) + 56]
  const drawn = panels.map((panel, at) => {
    const [x, y] = [gap + (at % columns) * (width + gap), 44 + Math.floor(at / columns) * (height + gap)]
    return `<g transform="translate(${x} ${y})">${drawPanel(panel)}</g>`
  })
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" font-family="sans-serif" font-size="11" fill="#d8d9da">
    <rect width="100%" height="100%" fill="#111217"/><text x="${gap}" y="28" font-size="18">${escapeXml(title)}</text>
    ${drawn.join('')}</svg>`
  return sharp(Buffer.from(svg)).png({ palette: true }).toBuffer()
}

function drawPanel({ title, unit, lines }: PlottedPanel): string {
  const points = lines.flatMap((line) => line.points)
  const [from, to] = [Math.min(...points.map(([at]) => at)), Math.max(...points.map(([at]) => at))]
  const top = Math.max(...points.map(([, value]) => value)) || 1
  const x = (at: number) => plot.left + ((at - from) / (to - from || 1)) * plot.width
  const y = (value: number) => plot.top + plot.height - (value / top) * plot.height
  const scale = [0, 0.5, 1].map(
    (part) => `<path d="M${plot.left} ${y(part * top)}h${plot.width}" stroke="#2c3235"/>
      <text x="${plot.left - 6}" y="${y(part * top) + 4}" text-anchor="end">${withUnit(part * top, unit)}</text>`,
  )
  const drawn = lines.map(({ points: own }, n) => {
    const path = own.map(([at, value]) => `${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join('L')
    return `<path d="M${path}" fill="none" stroke="${colourOf(n)}" stroke-width="1.3"/>`
  })
  const legends = lines.slice(0, shownLegends).map(({ legend }, n) => {
    const at = plot.top + plot.height + 18 + n * 14
    return `<rect x="${plot.left}" y="${at - 7}" width="12" height="4" fill="${colourOf(n)}"/><text x="${plot.left + 18}" y="${at}">${escapeXml(legend)}</text>`
  })
  return `<rect width="${width}" height="${height}" rx="3" fill="#181b1f" stroke="#2c3235"/>
    <text x="12" y="22" font-size="13" font-weight="bold">${escapeXml(title)}</text>${[...scale, ...drawn, ...legends].join('')}
    ${lines.length > shownLegends ? `<text x="${width - 12}" y="${height - 10}" text-anchor="end">and ${lines.length - shownLegends} more</text>` : ''}`
}

const colourOf = (n: number) => colours[n % colours.length] ?? ''

function withUnit(value: number, unit: string): string {
  if (unit === 'percentunit') return `${Math.round(value * 100)} %`
  if (unit === 'bytes') return `${(value / 2 ** 20).toFixed(0)} MiB`
  const number = Number(value.toPrecision(2))
  return unit === 's' ? `${number} s` : unit === 'ops' ? `${number}/s` : String(number)
}

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
