import { type Camera, scaleBar } from "./camera.js";

/** Maximum length of the bar, pixels. */
const SCALE_BAR_PX = 120;

/** A north arrow and a bar of a round length. @param camera its scale in pixels per metre on the ground */
export function ScaleBar({ camera }: { camera: Camera }) {
  const { metres, pixels } = scaleBar(camera, SCALE_BAR_PX);
  const label = metres >= 1000 ? `${metres / 1000} km` : metres >= 1 ? `${metres} m` : `${metres * 100} cm`;
  return (
    <div class="scale">
      <span class="north" title="North is up">
        N<span aria-hidden="true">↑</span>
      </span>
      <span class="scale-bar" style={{ width: `${pixels}px` }}>
        {label}
      </span>
    </div>
  );
}
