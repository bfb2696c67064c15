/** Where a matrix lies in an array: element (i, j) is at offset + i * rowStep + j * columnStep. */
export interface Layout {
  readonly offset: number;
  readonly rowStep: number;
  readonly columnStep: number;
}

export function rowMajor(columns: number, offset = 0): Layout {
  return { offset, rowStep: columns, columnStep: 1 };
}

/** The transpose of a row-major matrix, without moving its elements. */
export function transposed(columns: number, offset = 0): Layout {
  return { offset, rowStep: 1, columnStep: columns };
}

// A tile of 4 x 3 sums is what V8 keeps in the sixteen vector registers of x86-64 along with the
// operands: larger tiles spill, smaller ones load more than they multiply.
const TILE_ROWS = 4;
const TILE_COLUMNS = 3;

// Blocks are sized so that the packed halves stay in a second-level cache of 512 KiB.
const BLOCK_ROWS = 64;
const BLOCK_COLUMNS = 96;
const BLOCK_DEPTH = 256;

// An array for each row of a tile, and for each column: their elements of one depth are at the same
// index, so that V8 checks the index once for all the rows and once for all the columns. They are
// doubles because V8 computes in doubles, and would convert at each load.
const ROW_LENGTH = (BLOCK_ROWS / TILE_ROWS) * BLOCK_DEPTH;
const row0 = new Float64Array(ROW_LENGTH);
const row1 = new Float64Array(ROW_LENGTH);
const row2 = new Float64Array(ROW_LENGTH);
const row3 = new Float64Array(ROW_LENGTH);
const tileRows = [row0, row1, row2, row3];

const COLUMN_LENGTH = (BLOCK_COLUMNS / TILE_COLUMNS) * BLOCK_DEPTH;
const column0 = new Float64Array(COLUMN_LENGTH);
const column1 = new Float64Array(COLUMN_LENGTH);
const column2 = new Float64Array(COLUMN_LENGTH);
const tileColumns = [column0, column1, column2];

/** Adds the product of a (rows x depth) and b (depth x columns) to the row-major matrix c. */
export function addProduct(
  rows: number,
  columns: number,
  depth: number,
  a: Float32Array,
  aLayout: Layout,
  b: Float32Array,
  bLayout: Layout,
  c: Float32Array,
  cOffset = 0,
): void {
  for (let j = 0; j < columns; j += BLOCK_COLUMNS) {
    const blockColumns = Math.min(BLOCK_COLUMNS, columns - j);
    for (let k = 0; k < depth; k += BLOCK_DEPTH) {
      const blockDepth = Math.min(BLOCK_DEPTH, depth - k);
      const bStart = bLayout.offset + k * bLayout.rowStep + j * bLayout.columnStep;
      packColumns(b, bStart, bLayout.columnStep, bLayout.rowStep, blockColumns, blockDepth);
      for (let i = 0; i < rows; i += BLOCK_ROWS) {
        const blockRows = Math.min(BLOCK_ROWS, rows - i);
        const aStart = aLayout.offset + i * aLayout.rowStep + k * aLayout.columnStep;
        packRows(a, aStart, aLayout.rowStep, aLayout.columnStep, blockRows, blockDepth);
        addBlock(blockRows, blockColumns, blockDepth, c, cOffset + i * columns + j, columns);
      }
    }
  }
}

function packRows(
  source: Float32Array,
  start: number,
  rowStep: number,
  depthStep: number,
  rows: number,
  depth: number,
): void {
  const step2 = 2 * rowStep;
  const step3 = 3 * rowStep;
  const full = rows - (rows % TILE_ROWS);
  let to = 0;
  for (let i = 0; i < full; i += TILE_ROWS) {
    let from = start + i * rowStep;
    for (const end = to + depth; to < end; to++) {
      row0[to] = source[from]!;
      row1[to] = source[from + rowStep]!;
      row2[to] = source[from + step2]!;
      row3[to] = source[from + step3]!;
      from += depthStep;
    }
  }
  if (full < rows) {
    packRest(source, start + full * rowStep, rowStep, depthStep, rows - full, depth, tileRows, to);
  }
}

function packColumns(
  source: Float32Array,
  start: number,
  columnStep: number,
  depthStep: number,
  columns: number,
  depth: number,
): void {
  const step2 = 2 * columnStep;
  const full = columns - (columns % TILE_COLUMNS);
  let to = 0;
  for (let j = 0; j < full; j += TILE_COLUMNS) {
    let from = start + j * columnStep;
    for (const end = to + depth; to < end; to++) {
      column0[to] = source[from]!;
      column1[to] = source[from + columnStep]!;
      column2[to] = source[from + step2]!;
      from += depthStep;
    }
  }
  if (full < columns) {
    const rest = start + full * columnStep;
    packRest(source, rest, columnStep, depthStep, columns - full, depth, tileColumns, to);
  }
}

/** Packs the lines that are too few for a tile, and zeros in place of the missing ones. */
function packRest(
  source: Float32Array,
  start: number,
  lineStep: number,
  depthStep: number,
  lines: number,
  depth: number,
  lanes: readonly Float64Array[],
  to: number,
): void {
  lanes.forEach((lane, line) => {
    for (let k = 0; k < depth; k++) {
      lane[to + k] = line < lines ? source[start + line * lineStep + k * depthStep]! : 0;
    }
  });
}

function addBlock(
  rows: number,
  columns: number,
  depth: number,
  c: Float32Array,
  start: number,
  step: number,
): void {
  for (let j = 0; j < columns; j += TILE_COLUMNS) {
    const q = (j / TILE_COLUMNS) * depth;
    for (let i = 0; i < rows; i += TILE_ROWS) {
      const p = (i / TILE_ROWS) * depth;
      addTile(depth, p, q, c, start + i * step + j, step, rows - i, columns - j);
    }
  }
}

function addTile(
  depth: number,
  rowsStart: number,
  columnsStart: number,
  c: Float32Array,
  at: number,
  step: number,
  rows: number,
  columns: number,
): void {
  let s00 = 0;
  let s01 = 0;
  let s02 = 0;
  let s10 = 0;
  let s11 = 0;
  let s12 = 0;
  let s20 = 0;
  let s21 = 0;
  let s22 = 0;
  let s30 = 0;
  let s31 = 0;
  let s32 = 0;
  const shift = columnsStart - rowsStart;
  const end = rowsStart + depth;
  for (let p = rowsStart; p < end; p++) {
    // The sum of two small integers is one too: "| 0" spares the check that it is.
    const q = (p + shift) | 0;
    const b0 = column0[q]!;
    const b1 = column1[q]!;
    const b2 = column2[q]!;
    const a0 = row0[p]!;
    s00 += a0 * b0;
    s01 += a0 * b1;
    s02 += a0 * b2;
    const a1 = row1[p]!;
    s10 += a1 * b0;
    s11 += a1 * b1;
    s12 += a1 * b2;
    const a2 = row2[p]!;
    s20 += a2 * b0;
    s21 += a2 * b1;
    s22 += a2 * b2;
    const a3 = row3[p]!;
    s30 += a3 * b0;
    s31 += a3 * b1;
    s32 += a3 * b2;
  }
  addRow(c, at, s00, s01, s02, columns);
  if (rows > 1) addRow(c, at + step, s10, s11, s12, columns);
  if (rows > 2) addRow(c, at + 2 * step, s20, s21, s22, columns);
  if (rows > 3) addRow(c, at + 3 * step, s30, s31, s32, columns);
}

function addRow(
  c: Float32Array,
  at: number,
  s0: number,
  s1: number,
  s2: number,
  columns: number,
): void {
  c[at]! += s0;
  if (columns > 1) c[at + 1]! += s1;
  if (columns > 2) c[at + 2]! += s2;
}
