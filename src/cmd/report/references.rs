//! Published accuracies of predicting strong players' moves, for comparison. Games differ between
//! studies, and so do the accuracies: they show the order of magnitude.

/// Training of the 12-layer policy network of RocAlphaGo on KGS games of 6d and better: samples,
/// and accuracy on held-out games.
pub const ROC_ALPHA_GO: [(f64, f64); 11] = [
    (4e6, 0.435),
    (8e6, 0.454),
    (12e6, 0.468),
    (20e6, 0.477),
    (32e6, 0.491),
    (44e6, 0.498),
    (84e6, 0.511),
    (164e6, 0.521),
    (244e6, 0.530),
    (404e6, 0.538),
    (560e6, 0.541),
];

/// Cross entropies of the same network.
pub const ROC_ALPHA_GO_NATS: [(f64, f64); 11] = [
    (4e6, 2.12),
    (8e6, 2.01),
    (12e6, 1.94),
    (20e6, 1.89),
    (32e6, 1.82),
    (44e6, 1.78),
    (84e6, 1.72),
    (164e6, 1.67),
    (244e6, 1.62),
    (404e6, 1.59),
    (560e6, 1.57),
];

/// Training samples and accuracies of fully trained networks.
pub const PUBLISHED: [(&str, f64, f64); 4] = [
    ("Clark & Storkey 2014", 147e6, 0.444),
    ("Maddison et al. 2014", 685e6, 0.552),
    ("AlphaGo 2016", 340e6, 0.570),
    ("GoNN 5x192", 205e6, 0.568),
];
