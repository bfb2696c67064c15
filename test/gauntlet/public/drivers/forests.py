"""A random search over forests of scikit-learn's: each trial's model is kept beside its score, or the best one only."""
import sys
import time

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

features, labels = make_classification(n_samples=1200, n_features=16, n_informative=6, flip_y=0.2, random_state=0)
train, test, train_labels, test_labels = train_test_split(features, labels, random_state=0)
TRIALS = 90
results, best = [], (0.0, None)
began = time.monotonic()
for trial in range(TRIALS):
    model = RandomForestClassifier(n_estimators=10, max_features=3, n_jobs=1, random_state=trial)
    model.fit(train, train_labels)
    score = float(np.mean(model.predict(test) == test_labels))
    if sys.argv[1] == "kept":
        results.append((score, model))
    best = max(best, (score, model), key=lambda pair: pair[0])
    print(f"trial {trial + 1}/{TRIALS} accuracy={score:.4f} best={best[0]:.4f}", flush=True)
    time.sleep(max(0, began + 0.5 * (trial + 1) - time.monotonic()))
