import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { html } from './html.ts'

test('text is escaped, markup is kept, false and undefined add nothing', () => {
  const name = `<script>alert("x")</script> & 'y'`
  expect(html`<p title="${name}">${name}</p>`.text).toBe(
    '<p title="&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#39;y&#39;">' +
      '&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#39;y&#39;</p>',
  )
  expect(html`${html`<b>${1}</b>`}${false}${undefined}${[html`<i></i>`, '<']}`.text).toBe('<b>1</b><i></i>&lt;')
})

test('escaped text has no markup characters and can be decoded to the original', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', 'a', ' ', '$', '\\', '`') }), (text) => {
      const inside = html`${text}`.text
      expect(inside).not.toMatch(/[<>"']/)
      const back = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' }
      expect(inside.replace(/&(lt|gt|quot|#39|amp);/g, (entity) => back[entity as keyof typeof back])).toBe(text)
    }),
  )
})
