/**
 * The docs site: `npm run docs` builds it into dist-docs/. A page has the same path as its Markdown file, so a relative link works
 * on the site and on GitHub.
 */
import { copyFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { defineConfig } from 'vitepress'
import { headingAnchor } from '../../docs/run-page.ts'
import { linkRepository } from '../link-repository.ts'
import { renderSampleReports, SAMPLES_FOLDER } from '../sample-reports.ts'
import { makeSidebar } from '../sidebar.ts'

const root = join(import.meta.dirname, '../../..')
const sidebar = makeSidebar(join(root, 'docs'))
const linkedFiles = new Set<string>()

const STYLES = `
.report { width: 100%; height: 75vh; border: 1px solid var(--vp-c-divider) }
/* An indented code block. */
.vp-doc pre { overflow-x: auto }
`

export default defineConfig({
  srcDir: '../..',
  srcExclude: ['runs', 'dist-docs'],
  outDir: '../../dist-docs',
  cacheDir: '../../.cache/docs-site',
  // By default, VitePress runs every file of the repository that is called config.ts.
  additionalConfig: {},
  rewrites: (page) => page.replace(/(^|\/)README\.md$/, '$1index.md'),
  title: 'Breakwater',
  description: 'Load testing and simulation for an on-chain exchange',
  head: [['style', {}, STYLES]],
  markdown: {
    languageAlias: { haproxy: 'txt' },
    // The default themes have less contrast than WCAG AA requires.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: headingAnchor },
    config: (markdown) => linkRepository(markdown, { root, linkedFiles, reports: SAMPLES_FOLDER }),
  },
  // The search index is one large file, which is loaded on demand.
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  themeConfig: {
    sidebar,
    nav: sidebar.flatMap(({ text, items: [first] = [] }) =>
      first === undefined ? [] : [{ text, link: first.link, activeMatch: `^${dirname(first.link)}/` }],
    ),
    outline: [2, 3],
    search: { provider: 'local' },
  },
  async buildEnd({ outDir }) {
    for (const file of linkedFiles) {
      mkdirSync(dirname(join(outDir, file)), { recursive: true })
      copyFileSync(join(root, file), join(outDir, file))
    }
    await renderSampleReports(join(outDir, SAMPLES_FOLDER))
  },
})
