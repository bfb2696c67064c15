import type { ComponentChildren } from 'preact';
import type { Node, Scene, Stroke } from '../../views/chart/scene.ts';

/** A scene as live SVG, so that a page can lay things over it; nothing is parsed from text. */
export function SceneView({ scene, children }: { scene: Scene; children?: ComponentChildren }) {
  const { width, height, title, nodes } = scene;
  return (
    <svg
      class="scene"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={title}
    >
      <SceneNodes nodes={nodes} />
      {children}
    </svg>
  );
}

/** Parts of a scene, within an SVG of its own. */
export function SceneNodes({ nodes }: { nodes: readonly Node[] }) {
  return (
    <>
      {nodes.map((node, i) => (
        <SceneNode key={i} node={node} />
      ))}
    </>
  );
}

function SceneNode({ node }: { node: Node }) {
  switch (node.node) {
    case 'path':
      return (
        <path
          d={node.d}
          fill={node.fill ?? 'none'}
          opacity={node.opacity}
          {...strokeOf(node.stroke)}
        />
      );
    case 'line': {
      const { from, to } = node;
      return <line x1={from.x} y1={from.y} x2={to.x} y2={to.y} {...strokeOf(node.stroke)} />;
    }
    case 'rect':
      return (
        <rect x={node.x} y={node.y} width={node.width} height={node.height} fill={node.fill} />
      );
    case 'circle':
      return (
        <circle
          cx={node.x}
          cy={node.y}
          r={node.radius}
          fill={node.fill}
          {...strokeOf(node.stroke)}
        />
      );
    case 'dots':
      return (
        <path
          d={node.at.map(({ x, y }) => `M${x},${y}h.01`).join('')}
          fill="none"
          stroke={node.fill}
          stroke-width={node.radius * 2}
          stroke-linecap="round"
          opacity={node.opacity}
        />
      );
    case 'text':
      return (
        <text
          x={node.x}
          y={node.y}
          font-size={node.size}
          fill={node.fill}
          font-weight={node.weight === 'semibold' ? 600 : undefined}
          text-anchor={node.anchor}
          transform={node.upwards ? `rotate(-90 ${node.x} ${node.y})` : undefined}
          {...(node.halo
            ? {
                stroke: node.halo,
                'stroke-width': 4,
                'paint-order': 'stroke',
                'stroke-linejoin': 'round',
              }
            : {})}
        >
          {node.text}
        </text>
      );
    case 'group': {
      const { clip, children } = node;
      const inside = children.map((child, i) => <SceneNode key={i} node={child} />);
      if (!clip) return <g>{inside}</g>;
      // An inner svg clips what leaves it, and keeps the coordinates through its view box.
      const { x, y, width, height } = clip;
      return (
        <svg
          aria-hidden="true"
          x={x}
          y={y}
          width={width}
          height={height}
          viewBox={`${x} ${y} ${width} ${height}`}
        >
          {inside}
        </svg>
      );
    }
  }
}

function strokeOf(stroke: Stroke | undefined) {
  if (!stroke) return {};
  return {
    stroke: stroke.color,
    'stroke-width': stroke.width,
    'stroke-linejoin': 'round' as const,
    'stroke-dasharray': stroke.dash?.join(' '),
  };
}
